import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import type { SessionRun } from '../contract.ts';
import { failUnfinishedParts } from './queries.ts';
import { updateAndReportParts, wakeHandoff } from './service.ts';

export { listUnfinishedHandoffs } from './queries.ts';

const STOPPED = 'Stopped in Temporal: retry it to continue';

export const workflowIdOfHandoff = (run: SessionRun): string => wakeHandoff(run).workflow_id;

/**
 * Mends a handoff with unfinished parts that has no workflow: they fail if the workflow was stopped, so that they can be
 * retried by hand. Otherwise it continues, and looks in the other system for what it has created. Returns what was done,
 * or undefined if it has changed meanwhile.
 */
export function mendHandoff(
  db: Db,
  run: SessionRun,
  state: Exclude<ExecutionState, 'running'>,
): Promise<'failed' | 'resumed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, sessionId } = run;
    if (await hasPendingCommand(trx, workflowIdOfHandoff(run))) return undefined;
    if (state === 'stopped') {
      const failed = await updateAndReportParts(trx, orgId, sessionId, (changing) =>
        failUnfinishedParts(changing, orgId, sessionId, STOPPED),
      );
      return failed === 0 ? undefined : 'failed';
    }
    await enqueue(trx, orgId, wakeHandoff(run));
    return 'resumed';
  });
}
