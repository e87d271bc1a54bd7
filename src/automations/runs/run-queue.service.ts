import type { Trx } from '../../db/connect.ts';
import { tryLockName } from '../../db/locks.ts';
import { newId } from '../../ids.ts';
import { enqueue, signalWithStart, start } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { claimQueuedRuns, type QueueState, type Run } from '../runs.queries.ts';
import { advanceRun, loadContext } from './advance-run.service.ts';
import { RUN_BATCH } from './batches/contract.ts';
import { assignToBatch, lockOldestQueued } from './batches/queries.ts';
import { type NextStep, RUN_AUTOMATION } from './contract.ts';
import { getVersion } from './versions.service.ts';

/** Maximum number of active runs in an org, without runs waiting for a time or an event. Further runs are queued. */
const MAX_ACTIVE_RUNS = 100;
/** More queued runs than this are done in batches. */
const BACKLOG = 100;
const RUNS_PER_BATCH = 500;
/** A batch begins when no more runs than this are active in workflows of their own, and no more in the batch before. */
const ACTIVE_BESIDE_BATCH = 50;

const subjectOf = (runId: string, name: string) => ({ subjectId: runId, summary: name.slice(0, 200) });

/** Starts queued runs of an org, up to its limit of active runs. A backlog of short runs is done in batches. */
export async function startQueuedRuns(trx: Trx, orgId: string): Promise<void> {
  for (let isOneByOne = false; ; ) {
    const { runs, state } = await claimQueuedRuns(trx, orgId, { most: MAX_ACTIVE_RUNS, backlog: BACKLOG, isOneByOne });
    let ended = 0;
    for (const run of runs) ended += (await startRun(trx, orgId, run)) ? 0 : 1;
    if (ended > 0) continue;
    if (isOneByOne || !isBatchDue(state) || (await startBatch(trx, orgId))) return;
    isOneByOne = true; // the oldest runs take long
  }
}

/** Whether a backlog waits, and neither runs of their own nor those of a batch are before it. */
const isBatchDue = ({ own, batched, queued }: QueueState): boolean =>
  queued > BACKLOG && own < ACTIVE_BESIDE_BATCH && batched <= ACTIVE_BESIDE_BATCH;

/** Starts a run. Returns false if the run ended at once, without any work for Temporal. */
async function startRun(trx: Trx, orgId: string, run: Run): Promise<boolean> {
  const context = await loadContext(trx, orgId, run);
  const next = await advanceRun(trx, context, undefined);
  if (next.kind === 'end' || next.kind === 'failed') return false;
  const input = { orgId, runId: run.id, next, isAtOnce: true as const };
  await enqueue(trx, orgId, start(RUN_AUTOMATION, input, subjectOf(run.id, context.definition.name)));
  return true;
}

/**
 * Starts a batch of the oldest queued runs, up to the first one that takes long. Returns false if that is the oldest.
 * One transaction at a time starts batches of an org, so that they are done in order.
 */
async function startBatch(trx: Trx, orgId: string): Promise<boolean> {
  if (!(await tryLockName(trx, `run batch ${orgId}`))) return true;
  const oldest = await lockOldestQueued(trx, orgId, RUNS_PER_BATCH);
  const ids: string[] = [];
  for (const { id, version_id } of oldest) {
    if (!(await getVersion(trx, orgId, version_id)).isShort) break;
    ids.push(id);
  }
  if (ids.length === 0) return oldest.length === 0;
  const batchId = newId();
  await assignToBatch(trx, { orgId, batchId }, ids);
  const summary = `${ids.length} runs of workflows`;
  await enqueue(trx, orgId, start(RUN_BATCH, { orgId, batchId, runs: ids.length }, { subjectId: batchId, summary }));
  return true;
}

/** Wakes a run to check its wait, or to notice its cancellation. */
export const wakeRun = (orgId: string, runId: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next: { kind: 'end' } }, WAKE, subjectOf(runId, 'Run of a workflow'));

/** Resumes an ended run at a step. */
export const resumeRun = (orgId: string, runId: string, next: NextStep, name: string) =>
  signalWithStart(RUN_AUTOMATION, { orgId, runId, next }, WAKE, subjectOf(runId, name));
