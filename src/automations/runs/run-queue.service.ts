import type { Trx } from '../../db/connect.ts';
import { hasFastPaths } from '../../db/fast-paths.ts';
import { tryLockName } from '../../db/locks.ts';
import { newId } from '../../ids.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { advanceRun, loadContext } from './advance-run.service.ts';
import { RUN_BATCH } from './batches/contract.ts';
import { contentOfBatch, type NamedRun, summaryOfBatch } from './batches/details.rules.ts';
import { assignToBatch, findOldestQueuedVersion, lockOldestQueued } from './batches/queries.ts';
import { type NextStep, RUN_AUTOMATION, subjectOfRun } from './contract.ts';
import { wakeStarters } from './inline/waking.ts';
import { claimQueuedRuns, type QueueState, type Run } from './shared.queries.ts';
import { getVersion } from './versions.service.ts';

/** Maximum number of active runs in an org, without runs waiting for a time or an event. Further runs are queued. */
export const MAX_ACTIVE_RUNS = 100;
/**
 * With so many, the next short runs are queued: a batch does many of them in the time of one workflow. These are fewer
 * than a batch may have beside it, as transactions that start runs at the same time do not count each other's.
 */
const MAX_ACTIVE_SHORT_RUNS = 40;
/** With more active and queued runs than this, the queued ones are done in batches. */
export const MAX_QUEUED_ONE_BY_ONE = 100;
const RUNS_PER_BATCH = 500;
/** A batch begins when no more runs than this are active in workflows of their own, and no more in the batch before. */
const MAX_ACTIVE_BESIDE_BATCH = 50;

/** Lets queued runs of an org begin: by a run starter once the transaction has committed, or else in this transaction. */
export async function startQueuedRuns(trx: Trx, orgId: string): Promise<void> {
  if (hasFastPaths(trx)) wakeStarters(trx, orgId);
  else await startInWorkflows(trx, orgId);
}

/**
 * Starts queued runs of an org in workflows, up to its limit of active runs. A backlog of short runs is done in batches,
 * unless fast paths are off.
 */
export async function startInWorkflows(trx: Trx, orgId: string): Promise<void> {
  let isLocked = false;
  for (let most = hasFastPaths(trx) ? MAX_ACTIVE_SHORT_RUNS : MAX_ACTIVE_RUNS; ; ) {
    const isOneByOne = most === MAX_ACTIVE_RUNS;
    const { runs, state } = await claimQueuedRuns(trx, orgId, { most, backlog: MAX_QUEUED_ONE_BY_ONE, isOneByOne });
    let ended = 0;
    for (const run of runs) ended += (await startRun(trx, orgId, run)) ? 0 : 1;
    if (ended > 0) continue;
    if (isOneByOne || runs.length === state.queued) return;
    if (await isLongRunDue(trx, orgId, state)) {
      most = MAX_ACTIVE_RUNS;
      continue;
    }
    if (!isBatchDue(state)) return;
    if (isLocked) return startBatch(trx, orgId);
    // One transaction at a time starts batches of an org, so that they are done in order. The one before may have started
    // a batch since the state was read.
    isLocked = await tryLockName(trx, `run batch ${orgId}`);
    if (!isLocked) return;
  }
}

/** Whether the oldest queued run takes long, and there is room for it. */
async function isLongRunDue(trx: Trx, orgId: string, { own, batched }: QueueState): Promise<boolean> {
  if (own + batched >= MAX_ACTIVE_RUNS) return false;
  const versionId = await findOldestQueuedVersion(trx, orgId);
  return versionId !== undefined && !(await getVersion(trx, orgId, versionId)).isShort;
}

/** Whether a backlog waits, and neither many runs of their own nor those of a batch are before it. */
const isBatchDue = ({ own, batched, queued }: QueueState): boolean =>
  own + batched + queued > MAX_QUEUED_ONE_BY_ONE &&
  own <= MAX_ACTIVE_BESIDE_BATCH &&
  batched <= MAX_ACTIVE_BESIDE_BATCH;

/** Starts a run. Returns false if the run ended at once. One that failed at once still has a failed workflow. */
async function startRun(trx: Trx, orgId: string, run: Run): Promise<boolean> {
  const context = await loadContext(trx, orgId, run);
  const next = await advanceRun(trx, context, undefined);
  if (next.kind === 'end') return false;
  const input = { orgId, runId: run.id, next, isAtOnce: true as const };
  const command = { ...start(RUN_AUTOMATION, input, subjectOfRun(run.id, context.definition.name)), trace: run.trace };
  const isFailed = next.kind === 'failed';
  await enqueue(trx, orgId, isFailed ? { ...command, is_deferrable: true } : command);
  return !isFailed;
}

/** Starts a batch of the oldest queued runs, up to the first one that takes long. */
async function startBatch(trx: Trx, orgId: string): Promise<void> {
  const [one, ...others] = await lockOldestShort(trx, orgId);
  if (one === undefined) return;
  const runs = [one, ...others] as const;
  const batchId = newId();
  const ids = runs.map(({ id }) => id);
  await assignToBatch(trx, { orgId, batchId }, ids);
  const content = contentOfBatch(runs);
  const input = { orgId, batchId, runs: runs.length, content };
  // Ids of runs sort by time: the last batch whose subject is not behind a run has this run.
  const subject = { subjectId: content.first, summary: summaryOfBatch(runs.length, content) };
  await enqueue(trx, orgId, start(RUN_BATCH, input, subject));
}

/** Locks the oldest queued runs of an org for a batch, up to the first one that takes long. */
async function lockOldestShort(trx: Trx, orgId: string): Promise<NamedRun[]> {
  const runs: NamedRun[] = [];
  for (const { id, automation_id: workflowId, version_id } of await lockOldestQueued(trx, orgId, RUNS_PER_BATCH)) {
    const { isShort, name } = await getVersion(trx, orgId, version_id);
    if (!isShort) break;
    runs.push({ id, workflowId, name });
  }
  return runs;
}

/** Wakes a run to check its wait, or to notice its cancellation. */
export const wakeRun = (orgId: string, runId: string) =>
  signalWithStart(
    RUN_AUTOMATION,
    { orgId, runId, next: { kind: 'end' } },
    WAKE,
    subjectOfRun(runId, 'Run of a workflow'),
  );

/** Resumes an ended run at a step. */
export const resumeRun = (orgId: string, runId: string, next: NextStep, name: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next }, WAKE, subjectOfRun(runId, name));
