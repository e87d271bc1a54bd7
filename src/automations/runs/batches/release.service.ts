import type { Db, Trx } from '../../../db/connect.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../outbox/outbox.ts';
import { advanceRun, finishFailedRun, loadContext, type RunContext } from '../advance-run.service.ts';
import type { NextStep } from '../contract.ts';
import { setResumedAt } from '../history.queries.ts';
import { hasStep } from '../repair.queries.ts';
import { findNextStep } from '../resume-point.service.ts';
import { resumeRun, startQueuedRuns } from '../run-queue.service.ts';
import { lockRun, type Run } from '../shared.queries.ts';
import type { BatchEnd, BatchRef } from './contract.ts';
import { listRunIds, requeueFreshRuns, requeueRun, setLeftBatch } from './queries.ts';

/** The state of a run after its batch: active, waiting or failed in its own workflow, ended, or queued again. */
export type Released = 'active' | 'waiting' | 'ended' | 'failed' | 'queued';

/** Continues a run of a batch in a workflow of its own, at the step that `nextOf` returns. */
async function leaveBatch(
  trx: Trx,
  context: RunContext,
  nextOf: (trx: Trx, context: RunContext) => Promise<NextStep>,
): Promise<Released> {
  const { orgId, run, definition } = context;
  const next = await nextOf(trx, context);
  if (next.kind === 'end') return 'ended';
  if (next.kind === 'failed') return 'failed';
  await setLeftBatch(trx, orgId, run.id);
  // A signal to wake the run may have begun its workflow before: this is then where it goes on.
  await setResumedAt(trx, orgId, run.id, next);
  await enqueue(trx, orgId, resumeRun(orgId, run.id, next, definition.name));
  return next.kind === 'wait' || next.kind === 'wait-for-event' ? 'waiting' : 'active';
}

/** Locks a run and calls leaveBatch, unless its batch does not have it any more. */
export const leaveBatchAt = (
  db: Db,
  ref: BatchRef,
  { runId, nextOf }: { runId: string; nextOf: (trx: Trx, context: RunContext) => Promise<NextStep> },
): Promise<Released | undefined> =>
  inTransaction(db, async (trx) => {
    const run = await lockRunInBatch(trx, ref, runId);
    return run === undefined ? undefined : leaveBatch(trx, await loadContext(trx, ref.orgId, run), nextOf);
  });

/** Evaluates the blocks after a step, and continues behind them. */
export const advancingFrom = (after: string | undefined) => (trx: Trx, context: RunContext) =>
  advanceRun(trx, context, after);

/** Fails a run. */
export const failingWith =
  (error: string) =>
  (trx: Trx, context: RunContext): Promise<NextStep> =>
    finishFailedRun(trx, context, error);

/** Releases a run: one with a step goes on in its own workflow, one without waits again. */
export async function releaseRun(trx: Trx, ref: BatchRef, runId: string): Promise<Released | undefined> {
  const { orgId } = ref;
  const run = await lockRunInBatch(trx, ref, runId);
  if (run === undefined) return undefined;
  if (await hasStep(trx, { orgId, runId })) return leaveBatch(trx, await loadContext(trx, orgId, run), findNextStep);
  await requeueRun(trx, orgId, runId);
  return 'queued';
}

/** Releases all runs that a stopped batch has not done, and lets queued runs begin. */
export async function releaseBatch(db: Db, ref: BatchRef): Promise<BatchEnd> {
  const begun = await releaseBegunRuns(db, ref);
  return { ...begun, queued: await requeueRest(db, ref) };
}

/** Releases the runs of a batch that have a step. */
export async function releaseBegunRuns(db: Db, ref: BatchRef): Promise<Omit<BatchEnd, 'queued'>> {
  const failed: string[] = [];
  const end = { ended: 0, failed, left: 0 };
  for (const runId of await listRunIds(db, ref, { isBegun: true })) {
    const released = await inTransaction(db, (trx) => releaseRun(trx, ref, runId));
    if (released === 'failed') failed.push(runId);
    if (released === 'failed' || released === 'ended') end.ended++;
    else if (released !== undefined) end.left++;
  }
  return end;
}

/** Puts the runs of a batch that have no step back into the queue, and lets queued runs begin. Returns how many. */
export const requeueRest = (db: Db, ref: BatchRef): Promise<number> =>
  inTransaction(db, async (trx) => {
    const queued = await requeueFreshRuns(trx, ref);
    await startQueuedRuns(trx, ref.orgId);
    return queued;
  });

async function lockRunInBatch(trx: Trx, { orgId, batchId }: BatchRef, runId: string): Promise<Run | undefined> {
  const run = await lockRun(trx, orgId, runId);
  return run?.status === 'in_progress' && run.batch_id === batchId && !run.left_batch ? run : undefined;
}
