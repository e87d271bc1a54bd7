import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** What an unsubscribe page says: whom it is for and who wrote. */
export function findUnsubscribe(db: Db, orgId: string, deliveryId: string) {
  return db
    .selectFrom('deliveries as delivery')
    .innerJoin('orgs as org', 'org.id', 'delivery.org_id')
    .select(['delivery.to', 'org.name as org_name'])
    .where('delivery.org_id', '=', orgId)
    .where('delivery.id', '=', deliveryId)
    .executeTakeFirst();
}

/** Takes the delivery's address off the channel. A second time changes nothing, and a bounce stays a bounce. */
export async function suppressUnsubscribed(db: Db, orgId: string, deliveryId: string): Promise<void> {
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    select org_id, gen_random_uuid(), channel, "to", 'unsubscribed' from deliveries
    where org_id = ${orgId} and id = ${deliveryId} and "to" is not null
    on conflict (org_id, channel, address) do nothing
  `.execute(db);
}
