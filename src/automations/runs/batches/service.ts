import { isDatabaseUnavailable } from '../../../db/failures.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { messageOf } from '../../../errors.ts';
import { readSettings } from '../../../orgs/service.ts';
import { setCountry } from '../../../processes/current-work.ts';
import { inSpan, ORG_ID, RUN_ID, SpanKind } from '../../../tracing/spans.ts';
import { setWithWorkflow } from '../inline/queries.ts';
import { createPacer } from '../pacing/pace.ts';
import { findNextStep } from '../resume-point.service.ts';
import { startQueuedRuns } from '../run-queue.service.ts';
import type { Run } from '../shared.queries.ts';
import type { StepDeps } from '../steps.service.ts';
import type { BatchEnd, BatchRef } from './contract.ts';
import { type BatchWork, doRun } from './do-run.service.ts';
import { createProgressWriter } from './progress-writer.ts';
import { listFreshRuns, listRunIds } from './queries.ts';
import { failingWith, leaveBatchAt, type Released, releaseBegunRuns, requeueRest } from './release.service.ts';

/** No run begins later, so that a batch ends soon. */
const MAX_MS = 60_000;
const MAX_CONCURRENT_RUNS = 50;
const RUNS_PER_QUERY = 25;
/** Runs that may leave a batch and are active. Then it stops: what they call does not work now. */
const MAX_ACTIVE = 50;
/** With so many runs left to begin, the next batch may begin. */
const LAST_RUNS = 50;

/**
 * Does the runs of a batch, many at once and the oldest first, each up to its first wait, retry or failure. Runs that an
 * earlier attempt has begun go on in workflows of their own. Runs that do not begin in time wait again.
 */
export async function runBatch(deps: StepDeps, ref: BatchRef, isStopped: () => boolean): Promise<BatchEnd> {
  const { db } = deps;
  setCountry((await readSettings(db, ref.orgId)).country);
  await setWithWorkflow(db, ref);
  const before = await releaseBegunRuns(db, ref);
  const done = await doFreshRuns(deps, ref, isStopped);
  // What another attempt had begun meanwhile, and has not ended.
  const after = await releaseBegunRuns(db, ref);
  return {
    ended: before.ended + done.counts.ended + done.counts.failed + after.ended,
    failed: [...before.failed, ...done.failed, ...after.failed],
    left: before.left + done.counts.active + done.counts.waiting + after.left,
    queued: await requeueRest(db, ref),
  };
}

/** The results of the runs that began in a batch. */
interface Results {
  counts: Record<Released, number>;
  /** The ids of the runs that have failed. */
  failed: string[];
}

/** Does the runs without a step, until a reason to stop. */
async function doFreshRuns(deps: StepDeps, ref: BatchRef, isStopped: () => boolean): Promise<Results> {
  const { db } = deps;
  const until = performance.now() + MAX_MS;
  const counts = { active: 0, waiting: 0, ended: 0, failed: 0, queued: 0 };
  const failed: string[] = [];
  let remaining = (await listRunIds(db, ref, { isBegun: false })).length;
  const fresh = freshRuns(deps, ref);
  const isOver = () => isStopped() || performance.now() > until;
  const work = { deps, ref, writer: createProgressWriter(db, ref.orgId), pacer: createPacer(ref.orgId), isOver };
  const lane = async () => {
    while (!isOver() && counts.active < MAX_ACTIVE) {
      const { value: run } = await fresh.next();
      if (run === undefined) return;
      const released = await doOrRelease(work, run);
      if (released !== undefined) counts[released]++;
      if (released === 'failed') failed.push(run.id);
      if (--remaining === LAST_RUNS) await inTransaction(db, (trx) => startQueuedRuns(trx, ref.orgId));
    }
  };
  await allSettled(Array.from({ length: MAX_CONCURRENT_RUNS }, lane));
  return { counts, failed };
}

/** Returns the runs without a step, in order. */
async function* freshRuns({ db }: StepDeps, ref: BatchRef): AsyncGenerator<Run, undefined> {
  for (let after: string | undefined; ; ) {
    const runs = await listFreshRuns(db, ref, { after, limit: RUNS_PER_QUERY });
    yield* runs;
    after = runs.at(-1)?.id;
    if (after === undefined) return undefined;
  }
}

/**
 * Does a run. After an error of ours it goes on in a workflow of its own, which repeats the step. A run that cannot even
 * do that fails, so that it does not hold up the others.
 */
export async function doOrRelease(work: BatchWork, run: Run): Promise<Released | undefined> {
  const { db } = work.deps;
  const leave = (nextOf: typeof findNextStep) => leaveBatchAt(db, work.ref, { runId: run.id, nextOf });
  try {
    return await inSpan(spanOptionsOf(work, run), () => doRun(work, run).catch(() => leave(findNextStep)));
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    return leave(failingWith(messageOf(error)));
  }
}

const spanOptionsOf = ({ ref }: BatchWork, { id, trace }: Run) => ({
  name: 'run of a workflow',
  kind: SpanKind.CONSUMER,
  attributes: { [ORG_ID]: ref.orgId, [RUN_ID]: id },
  parent: trace,
});

/** Waits for all, so that nothing is under way when the first error is thrown. */
async function allSettled(works: Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}
