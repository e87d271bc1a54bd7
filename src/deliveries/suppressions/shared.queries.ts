import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { ProactiveChannel } from '../contract.ts';
import type { SuppressionsTable } from './table.ts';

/** Finds the recipient named on an unsubscribe page. */
export function findUnsubscribeTarget(db: Db, orgId: string, deliveryId: string) {
  return db
    .selectFrom('deliveries as delivery')
    .select('delivery.to')
    .where('delivery.org_id', '=', orgId)
    .where('delivery.id', '=', deliveryId)
    .executeTakeFirst();
}

/** Suppresses the delivery's address on its channel. A repeated call changes nothing, and a bounce stays a bounce. */
export async function insertUnsubscribe(db: Db, orgId: string, deliveryId: string): Promise<void> {
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    select org_id, gen_random_uuid(), channel, "to", 'unsubscribed' from deliveries
    where org_id = ${orgId} and id = ${deliveryId} and "to" is not null
    on conflict (org_id, channel, address) do nothing
  `.execute(db);
}

/** The end of an insertion of suppressions: the newest reason wins, but a bounce stays a bounce. */
export const KEEP_BOUNCED = sql`on conflict (org_id, channel, address) do update set reason = excluded.reason
  where suppressions.reason <> 'bounced'`;

const COLUMNS = ['id', 'channel', 'address', 'reason', 'created_at'] as const;

/** Suppresses an address on a channel and returns the stored suppression. An existing one stays unchanged. */
export function insertSuppression(
  db: Db,
  orgId: string,
  suppression: Pick<SuppressionsTable, 'id' | 'channel' | 'address' | 'reason'>,
) {
  return db
    .insertInto('suppressions')
    .values({ org_id: orgId, ...suppression })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'channel', 'address']).doUpdateSet({ reason: sql<string>`suppressions.reason` }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Removes the suppression of an unsubscribed address. Other suppressions stay. */
export async function deleteUnsubscribe(
  db: Db,
  orgId: string,
  channel: ProactiveChannel,
  address: string,
): Promise<void> {
  await sql`
    delete from suppressions where org_id = ${orgId} and channel = ${channel} and address = ${address} and reason = 'unsubscribed'
  `.execute(db);
}

export async function deleteSuppression(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('suppressions')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Lists a page of suppressions by creation. */
export function listSuppressions(
  db: Db,
  orgId: string,
  filters: { channel: ProactiveChannel | undefined; address: string | undefined },
  page: PageRequest,
) {
  let query = db.selectFrom('suppressions').select(COLUMNS).where('org_id', '=', orgId);
  if (filters.channel !== undefined) query = query.where('channel', '=', filters.channel);
  if (filters.address !== undefined) query = query.where('address', '=', filters.address);
  return query.$call(orderedByCreation(page)).execute();
}
