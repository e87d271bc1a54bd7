import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { signalsOf, wakeAll } from './batches.service.ts';
import { deleteBatches, listCommanded, listForgotten, type Mark } from './upkeep.queries.ts';

const BATCHES = 500;
const EVENTS_A_LOOK = 5_000;

/** Deletes what is older than 30 days of that which CRMs posted, a bounded number at a time. Resolves to how many. */
export const deleteOldBatches = (db: Db): Promise<number> => deleteBatches(db, BATCHES);

/**
 * Has every queue looked at whose events have waited for minutes, unless that is about to happen: a signal may have been lost with Temporal's
 * data. A workflow that is at it already looks once more. Resolves to 0: one call does it all.
 */
export async function wakeForgottenQueues(db: Db): Promise<0> {
  let mark: Mark | undefined;
  do {
    const waiting = await listForgotten(db, mark, EVENTS_A_LOOK);
    for (const [orgId, own] of Map.groupBy(waiting, ({ org_id }) => org_id)) {
      await wake(db, orgId, [...new Set(own.map(({ queue }) => queue))]);
    }
    mark = waiting.length < EVENTS_A_LOOK ? undefined : waiting.at(-1);
  } while (mark !== undefined);
  return 0;
}

const wake = (db: Db, orgId: string, queues: string[]): Promise<void> =>
  inTransaction(db, async (trx) => {
    const workflowIds = new Map(
      signalsOf(orgId, queues).map(({ workflow_id }, nth) => [workflow_id, queues[nth] as string]),
    );
    for (const commanded of await listCommanded(trx, [...workflowIds.keys()])) workflowIds.delete(commanded);
    await wakeAll(trx, orgId, workflowIds.values());
  });
