import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { queueSignalsOf, signalQueues } from './batch-parsing.service.ts';
import {
  deleteExpiredBatches,
  type EventPosition,
  listPendingWorkflowIds,
  listStalledEvents,
} from './maintenance.queries.ts';

const BATCHES_PER_RUN = 500;
const EVENTS_PER_PAGE = 5_000;

/** Deletes what is older than 30 days of that which CRMs posted, a bounded number at a time. Resolves to how many. */
export const deleteOldBatches = (db: Db): Promise<number> => deleteExpiredBatches(db, BATCHES_PER_RUN);

/**
 * Has every queue looked at whose events have waited for minutes, unless that is about to happen: a signal may have been lost with Temporal's
 * data. A workflow that is at it already looks once more. Resolves to 0: one call does it all.
 */
export async function wakeStalledQueues(db: Db): Promise<0> {
  let mark: EventPosition | undefined;
  do {
    const waiting = await listStalledEvents(db, mark, EVENTS_PER_PAGE);
    for (const [orgId, own] of Map.groupBy(waiting, ({ org_id }) => org_id)) {
      await wakeOrgQueues(db, orgId, [...new Set(own.map(({ queue }) => queue))]);
    }
    mark = waiting.length < EVENTS_PER_PAGE ? undefined : waiting.at(-1);
  } while (mark !== undefined);
  return 0;
}

const wakeOrgQueues = (db: Db, orgId: string, queues: string[]): Promise<void> =>
  inTransaction(db, async (trx) => {
    const workflowIds = new Map(
      queueSignalsOf(orgId, queues).map(({ workflow_id }, nth) => [workflow_id, queues[nth] as string]),
    );
    for (const commanded of await listPendingWorkflowIds(trx, [...workflowIds.keys()])) workflowIds.delete(commanded);
    await signalQueues(trx, orgId, workflowIds.values());
  });
