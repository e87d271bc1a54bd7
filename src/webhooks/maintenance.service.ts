import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import {
  deleteOfDeletedEndpoints,
  deleteOldDeliveries,
  endAllSenders,
  listStalledDeliveries,
  listStalledEndpoints,
} from './maintenance.queries.ts';
import { wakeRetries, wakeSenders } from './waking.service.ts';

const RETENTION_DAYS = 30;
const ROWS_PER_SWEEP = 2_000;
/** Longer than any probe of a failing endpoint waits. */
const STALLED_AFTER_MS = 20 * 60_000;

/** Deletes some webhooks after 30 days, and returns their number. */
export const deleteOldWebhooks = (db: Db): Promise<number> =>
  deleteOldDeliveries(db, { olderThanDays: RETENTION_DAYS, limit: ROWS_PER_SWEEP });

/** Deletes some of what deleted endpoints have left, and returns its number. */
export const deleteEndpointRemains = (db: Db): Promise<number> => deleteOfDeletedEndpoints(db, ROWS_PER_SWEEP);

/**
 * Has the webhooks of a restored database sent: those that wait now, and new ones by new senders, as those that it has
 * recorded may be gone. No program may work meanwhile.
 */
export async function wakeRestoredWebhooks(db: Db): Promise<void> {
  await endAllSenders(db);
  await wakeStalledWebhooks(db, 0);
}

/** Continues with webhooks whose workflow was stopped by an operator. One whose workflow is there takes no harm. */
export async function wakeStalledWebhooks(db: Db, olderThanMs = STALLED_AFTER_MS): Promise<void> {
  const stalled = { olderThanMs, limit: ROWS_PER_SWEEP };
  for (const { org_id, id } of await listStalledEndpoints(db, stalled))
    await inTransaction(db, (trx) => wakeSenders(trx, org_id, [id]));
  const deliveries = await listStalledDeliveries(db, stalled);
  for (const [orgId, own] of Map.groupBy(deliveries, ({ org_id }) => org_id)) {
    const refs = own.map(({ id, endpoint_id, event_id }) => ({
      orgId,
      endpointId: endpoint_id,
      eventId: event_id,
      deliveryId: id,
      delayMs: 0,
    }));
    await inTransaction(db, (trx) => wakeRetries(trx, orgId, refs));
  }
}
