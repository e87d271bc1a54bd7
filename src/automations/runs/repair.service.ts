import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import { stepAt } from '../interpreter/step-paths.rules.ts';
import { failRun, loadContext, type RunContext } from './advance-run.service.ts';
import { type BatchRef, workflowIdOfBatch } from './batches/contract.ts';
import { releaseRun } from './batches/release.service.ts';
import { type NextStep, type RunRef, workflowIdOfRun } from './contract.ts';
import { finishRun } from './finish-run.service.ts';
import { findOpenStep, type RunInProgress } from './repair.queries.ts';
import { findNextStep } from './resume-point.service.ts';
import { resumeRun, startQueuedRuns } from './run-queue.service.ts';
import { lockRun } from './shared.queries.ts';

export { listRunsInDoubt, listRunsInProgress } from './repair.queries.ts';

const STOPPED = 'Stopped in Temporal';
const LOST = 'Its workflow ended in Temporal without the result being stored: check the effect, then retry or rerun';
const RESTORED =
  'The database was restored from a backup: its steps may have been done since. Check the effect, then retry or rerun';

/** Returns the id of the workflow that does a run: its own or that of its batch. */
export const findableWorkflowOf = ({ runId, batchId }: RunInProgress): string =>
  batchId === null ? workflowIdOfRun(runId) : workflowIdOfBatch(batchId);

/** Cancels a run whose workflow was stopped in Temporal, unless it has ended. Returns whether it was in progress. */
export function cancelStoppedRun(db: Db, { orgId, runId }: RunRef): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, runId);
    if (run?.status !== 'in_progress') return false;
    await finishRun(trx, orgId, runId, { status: 'canceled', error: STOPPED });
    await startQueuedRuns(trx, orgId);
    return true;
  });
}

/**
 * Mends a run in progress that has no workflow. It is canceled if the workflow was stopped, fails if the workflow ended
 * otherwise, because its step may have taken effect, and resumes if Temporal does not know the workflow. Returns what
 * was done, or undefined if the run has changed meanwhile.
 */
export async function mendRun(
  db: Db,
  ref: RunInProgress,
  state: Exclude<ExecutionState, 'running'>,
): Promise<string | undefined> {
  if (ref.batchId !== null) return mendRunInBatch(db, { ...ref, batchId: ref.batchId });
  if (state === 'stopped') return (await cancelStoppedRun(db, ref)) ? 'canceled' : undefined;
  return inTransaction(db, async (trx) => {
    const { orgId, runId } = ref;
    const run = await lockRun(trx, orgId, runId);
    if (run?.status !== 'in_progress' || (await hasPendingCommand(trx, workflowIdOfRun(runId)))) return undefined;
    const context = await loadContext(trx, orgId, run);
    const next = await (state === 'ended' ? failLostRun(trx, context, LOST) : findNextStep(trx, context));
    if (next.kind === 'end' || next.kind === 'failed') await startQueuedRuns(trx, orgId);
    else await enqueue(trx, orgId, resumeRun(orgId, runId, next, context.definition.name));
    return next.kind === 'failed' ? 'failed' : 'resumed';
  });
}

/** Releases a run from a batch that has ended without it. */
async function mendRunInBatch(db: Db, ref: RunRef & BatchRef): Promise<string | undefined> {
  if (await hasPendingCommand(db, workflowIdOfBatch(ref.batchId))) return undefined;
  const released = await inTransaction(db, async (trx) => {
    const way = await releaseRun(trx, ref, ref.runId);
    await startQueuedRuns(trx, ref.orgId);
    return way;
  });
  return released === undefined ? undefined : 'resumed';
}

/**
 * Fails a run whose steps may have been done by a database that was lost. The queued runs of its org are in doubt too: none
 * is started in its place. Returns what was done, or undefined if it has ended meanwhile.
 */
export function failRunInDoubt(db: Db, { orgId, runId }: RunRef): Promise<'failed' | undefined> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, runId);
    if (run?.status !== 'in_progress' && run?.status !== 'idle') return undefined;
    await failLostRun(trx, await loadContext(trx, orgId, run), RESTORED);
    return 'failed';
  });
}

/** Fails a run at its step in flight, so that the step can be retried by hand. */
async function failLostRun(trx: Trx, context: RunContext, message: string): Promise<NextStep> {
  const { orgId, run, definition } = context;
  const open = await findOpenStep(trx, { orgId, runId: run.id });
  const step = open && stepAt(definition.blocks, open.path);
  if (open !== undefined && step !== undefined) return failRun(trx, context, { path: open.path, step, message });
  await finishRun(trx, orgId, run.id, { status: 'failed', error: message });
  return { kind: 'failed', error: message };
}
