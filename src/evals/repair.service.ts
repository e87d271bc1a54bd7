import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { enqueue } from '../outbox/outbox.ts';
import { hasPendingCommand } from '../outbox/pending.queries.ts';
import type { ExecutionState } from '../temporal/executions.ts';
import { type EvalRunRef, RUN_EVALS } from './contract.ts';
import { endRun, lockRun } from './runs.queries.ts';
import { startOf } from './runs.service.ts';

export { listRunsInProgress } from './runs.queries.ts';

export const workflowIdOfEvalRun = (ref: EvalRunRef): string => RUN_EVALS.workflowId(ref);

/**
 * Mends an eval run that has no workflow: one that Temporal does not know goes on, any other is canceled, as its id can
 * not be used again. Returns what was done, or undefined if the run has ended meanwhile.
 */
export function mendEvalRun(
  db: Db,
  ref: EvalRunRef,
  state: Exclude<ExecutionState, 'running'>,
): Promise<'canceled' | 'resumed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, runId } = ref;
    const run = await lockRun(trx, orgId, runId);
    if (run?.ended_at !== null || (await hasPendingCommand(trx, workflowIdOfEvalRun(ref)))) return undefined;
    if (state === 'absent') {
      await enqueue(trx, orgId, startOf(run));
      return 'resumed';
    }
    await endRun(trx, orgId, runId, { state: 'canceled', drift: null });
    return 'canceled';
  });
}
