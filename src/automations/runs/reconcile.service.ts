import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import { stepAt } from '../interpreter/step-paths.rules.ts';
import { lockRun } from '../runs.queries.ts';
import { advanceRun, failRun, loadContext, nextActionOf, nextWaitOf, type RunContext } from './advance-run.service.ts';
import { type NextStep, RUN_AUTOMATION, type RunRef } from './contract.ts';
import { finishRun } from './finish-run.service.ts';
import { findLatestStep } from './reconcile.queries.ts';
import { resumeRun, startQueuedRuns } from './run-queue.service.ts';

export { listRunsInProgress } from './reconcile.queries.ts';

const STOPPED = 'Stopped in Temporal';
const LOST = 'Its workflow ended in Temporal without the result being stored: check the effect, then retry or rerun';

/** Returns the id of a run's workflow. */
export const workflowIdOfRun = ({ orgId, runId }: RunRef): string =>
  RUN_AUTOMATION.workflowId({ orgId, runId, next: { kind: 'end' } });

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
  ref: RunRef,
  state: Exclude<ExecutionState, 'running'>,
): Promise<string | undefined> {
  if (state === 'stopped') return (await cancelStoppedRun(db, ref)) ? 'canceled' : undefined;
  return inTransaction(db, async (trx) => {
    const { orgId, runId } = ref;
    const run = await lockRun(trx, orgId, runId);
    if (run?.status !== 'in_progress' || (await hasPendingCommand(trx, workflowIdOfRun(ref)))) return undefined;
    const context = await loadContext(trx, orgId, run);
    const next = await (state === 'ended' ? failLostRun(trx, context) : findNextStep(trx, context));
    if (next.kind === 'end' || next.kind === 'failed') await startQueuedRuns(trx, orgId);
    else await enqueue(trx, orgId, resumeRun(orgId, runId, next, context.definition.name));
    return next.kind === 'failed' ? 'failed' : 'resumed';
  });
}

/** Fails a run at its step in flight, so that the step can be retried by hand. */
async function failLostRun(trx: Trx, context: RunContext): Promise<NextStep> {
  const { orgId, run, definition } = context;
  const latest = await findLatestStep(trx, { orgId, runId: run.id });
  const step = latest && stepAt(definition.blocks, latest.place);
  if (latest !== undefined && step !== undefined && (latest.status === 'in_progress' || latest.status === 'waiting'))
    return failRun(trx, context, { place: latest.place, step, message: LOST });
  await finishRun(trx, orgId, run.id, { status: 'failed', error: LOST });
  return { kind: 'failed', error: LOST };
}

/** Returns the step at which a run continues, as its rows tell. A completed step is not done again. */
async function findNextStep(trx: Trx, context: RunContext): Promise<NextStep> {
  const { orgId, run, definition } = context;
  const latest = await findLatestStep(trx, { orgId, runId: run.id });
  const step = latest && stepAt(definition.blocks, latest.place);
  if (latest === undefined || step === undefined) return advanceRun(trx, context, undefined);
  if (latest.status === 'waiting') return nextWaitOf(latest.place, step, Date.now());
  if (latest.status === 'in_progress' && step.$kind === 'Action') return nextActionOf(latest.place, step);
  return { kind: 'continue', place: latest.place };
}
