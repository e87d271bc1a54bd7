import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { queueSignalOf, signalQueues } from './batch-parsing.service.ts';
import {
  deleteExpiredBatches,
  type EventPosition,
  listPendingWorkflowIds,
  listStalledEvents,
} from './maintenance.queries.ts';

const BATCHES_PER_RUN = 500;
const EVENTS_PER_PAGE = 5_000;

/** Deletes a bounded number of the batches older than 30 days. Resolves to their number. */
export const deleteOldBatches = (db: Db): Promise<number> => deleteExpiredBatches(db, BATCHES_PER_RUN);

/**
 * Wakes every queue with events that have waited for minutes: a signal may have been lost with Temporal's data. Queues
 * with a command in the outbox are left out. A workflow already running reads the queue once more.
 */
export async function wakeStalledQueues(db: Db): Promise<void> {
  let mark: EventPosition | undefined;
  do {
    const waiting = await listStalledEvents(db, mark, EVENTS_PER_PAGE);
    for (const [orgId, own] of Map.groupBy(waiting, ({ org_id }) => org_id)) {
      await wakeOrgQueues(db, orgId, [...new Set(own.map(({ queue }) => queue))]);
    }
    mark = waiting.length < EVENTS_PER_PAGE ? undefined : waiting.at(-1);
  } while (mark !== undefined);
}

const wakeOrgQueues = (db: Db, orgId: string, queues: string[]): Promise<void> =>
  inTransaction(db, async (trx) => {
    const workflowIds = new Map(queues.map((queue) => [queueSignalOf(orgId, queue).workflow_id, queue]));
    for (const commanded of await listPendingWorkflowIds(trx, [...workflowIds.keys()])) workflowIds.delete(commanded);
    await signalQueues(trx, orgId, workflowIds.values());
  });
