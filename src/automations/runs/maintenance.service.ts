import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { startQueuedRuns } from './run-queue.service.ts';
import { listOrgsWithStalledRuns } from './shared.queries.ts';

export { deleteOldRuns, deleteRemainsOfWorkflows, deleteUnreceivedEvents } from './shared.queries.ts';

/**
 * Starts runs that have been queued for minutes. A run that is accepted while the last active ones of its org end does
 * not see that they have ended, and they do not see it. Resolves to 0: one call does it all.
 */
export async function startStalledRuns(db: Db): Promise<0> {
  for (const orgId of await listOrgsWithStalledRuns(db)) await inTransaction(db, (trx) => startQueuedRuns(trx, orgId));
  return 0;
}
