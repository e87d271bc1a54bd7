import type { Db } from '../../../db/connect.ts';
import { newId } from '../../../ids.ts';
import { insertOfLease } from '../../../outbox/leases.ts';
import { runAsWriter, setCountry } from '../../../processes/current-work.ts';
import { type BatchRef, RUN_BATCH, workflowIdOfBatch } from '../batches/contract.ts';
import type { BatchWork } from '../batches/do-run.service.ts';
import type { ProgressWriter } from '../batches/progress-writer.ts';
import { advancingFrom, leaveBatchAt } from '../batches/release.service.ts';
import { doOrRelease } from '../batches/service.ts';
import { createPacer } from '../pacing/pace.ts';
import { MAX_ACTIVE_RUNS, MAX_QUEUED_ONE_BY_ONE } from '../run-queue.service.ts';
import type { QueueState, Run } from '../shared.queries.ts';
import type { StepDeps } from '../steps.service.ts';
import { getVersion } from '../versions.service.ts';
import { claimInline } from './queries.ts';

/** Runs of an org that are done in inline batches at once, by all processes. */
const MAX_INLINE_RUNS = 50;
/** No step of an inline batch begins later: its runs continue in separate workflows. */
const MAX_MS = 10_000;

/** Runs that this process has claimed, and does itself. Its workflow starts if the process ends before it. */
export interface InlineBatch {
  ref: BatchRef;
  runs: Run[];
  country: string | null;
}

/** Claims queued runs of an org as an inline batch, at most `room`. Returns how many were active and queued before. */
export async function claimInlineBatch(
  db: Db,
  orgId: string,
  room: number,
): Promise<{ batch: InlineBatch; state: QueueState }> {
  const ref = { orgId, batchId: newId() };
  const command = {
    kind: 'start' as const,
    type: RUN_BATCH.type,
    workflow_id: workflowIdOfBatch(ref.batchId),
    task_queue: RUN_BATCH.taskQueue,
    signal: null,
    summary: 'Runs of a worker that has ended',
    payload: ref,
  };
  const limits = { active: MAX_ACTIVE_RUNS, batched: MAX_INLINE_RUNS, room, backlog: MAX_QUEUED_ONE_BY_ONE };
  const { runs, state, country } = await claimInline(db, ref, limits, (source) =>
    insertOfLease(orgId, command, source),
  );
  return { batch: { ref, runs, country }, state };
}

/**
 * Does the runs of an inline batch, all at once, each up to its first wait, retry or failure. Calls `onRunEnd` after each.
 * Rejects if the database fails: then the workflow of the batch has to do the rest.
 */
export async function doInlineBatch(
  deps: StepDeps,
  { ref, runs, country }: InlineBatch,
  { writer, isStopped, onRunEnd }: { writer: ProgressWriter; isStopped: () => boolean; onRunEnd: () => void },
): Promise<void> {
  const until = performance.now() + MAX_MS;
  const isOver = () => isStopped() || performance.now() > until;
  const work = { deps, ref, writer, pacer: createPacer(ref.orgId), isOver };
  await runAsWriter(ref.orgId, async () => {
    setCountry(country);
    const ends = await Promise.allSettled(runs.map((run) => doOrLeave(work, run).finally(onRunEnd)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
}

/** Does a run. One that takes long begins in a separate workflow. */
async function doOrLeave(work: BatchWork, run: Run): Promise<void> {
  const { deps, ref } = work;
  const { isShort } = await getVersion(deps.db, ref.orgId, run.version_id);
  if (isShort) await doOrRelease(work, run);
  else await leaveBatchAt(deps.db, ref, { runId: run.id, nextOf: advancingFrom(undefined) });
}
