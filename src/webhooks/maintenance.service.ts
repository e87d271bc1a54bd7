import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import {
  deleteOfDeletedEndpoints,
  deleteOldDeliveries,
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

/** Continues with webhooks whose workflow was stopped by an operator. */
export async function wakeStalledWebhooks(db: Db): Promise<void> {
  const stalled = { olderThanMs: STALLED_AFTER_MS, limit: ROWS_PER_SWEEP };
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
