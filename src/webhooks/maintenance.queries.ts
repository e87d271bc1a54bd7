import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** Deletes some deliveries that have ended, or are held, for longer than this. Returns their number. */
export async function deleteOldDeliveries(db: Db, { olderThanDays, limit }: { olderThanDays: number; limit: number }) {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where (org_id, id) in (
      select org_id, id from webhook_deliveries
      where status in ('delivered', 'failed', 'held') and created_at < now() - ${olderThanDays} * interval '1 day'
      limit ${limit} for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/** Deletes some deliveries of deleted endpoints, or else some such endpoints. Returns their number. */
export async function deleteOfDeletedEndpoints(db: Db, limit: number): Promise<number> {
  const { numAffectedRows: deliveries = 0n } = await sql`
    delete from webhook_deliveries as delivery using (
      select gone.org_id, gone.id from webhook_endpoints as endpoint
      cross join lateral (
        select org_id, id from webhook_deliveries as own
        where own.org_id = endpoint.org_id and own.endpoint_id = endpoint.id limit ${limit}
      ) as gone
      where endpoint.deleted_at is not null limit ${limit}
    ) as found where delivery.org_id = found.org_id and delivery.id = found.id
  `.execute(db);
  if (deliveries > 0n) return Number(deliveries);
  const { numAffectedRows: endpoints = 0n } = await sql`
    delete from webhook_endpoints where (org_id, id) in (
      select org_id, id from webhook_endpoints as endpoint where deleted_at is not null and not exists (
        select from webhook_deliveries as delivery where delivery.org_id = endpoint.org_id and delivery.endpoint_id = endpoint.id
      ) limit ${limit}
    )
  `.execute(db);
  return Number(endpoints);
}

/**
 * Lists endpoints with deliveries that nobody has tried in time, or held after they were disabled, and those with
 * recoveries that are not finished: their workflow was stopped, or has much to do.
 */
export const listStalledEndpoints = (db: Db, { olderThanMs, limit }: { olderThanMs: number; limit: number }) =>
  db
    .selectFrom('webhook_endpoints as endpoint')
    .select(['org_id', 'id'])
    .where('deleted_at', 'is', null)
    .where(
      sql<boolean>`(recoveries <> '[]' or ${hasStalled(sql`'pending'`, olderThanMs)}
        or not enabled and ${hasStalled(sql`'retrying'`, olderThanMs)})`,
    )
    .limit(limit)
    .execute();

const hasStalled = (status: RawBuilder<unknown>, olderThanMs: number) => sql`exists (
  select from webhook_deliveries as delivery
  where delivery.org_id = endpoint.org_id and delivery.endpoint_id = endpoint.id and delivery.status = ${status}
    and delivery.updated_at < now() - ${olderThanMs} * interval '1 millisecond'
)`;

/** Lists deliveries whose next try is overdue: their workflow was stopped. */
export const listStalledDeliveries = (db: Db, { olderThanMs, limit }: { olderThanMs: number; limit: number }) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['org_id', 'id', 'endpoint_id', 'event_id'])
    .where('status', '=', 'retrying')
    .where(sql<boolean>`next_attempt_at < now() - ${olderThanMs} * interval '1 millisecond'`)
    .limit(limit)
    .execute();

/** Records that no endpoint has a sender. */
export async function endAllSenders(db: Db): Promise<void> {
  await db.updateTable('webhook_endpoints').set({ is_sending: false }).where('is_sending', '=', true).execute();
}
