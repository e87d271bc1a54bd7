import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
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

/**
 * Suppresses the delivery's address on its channel, with the other addresses of a contact that was merged. A repeated call
 * changes nothing, and a bounce stays a bounce. The transaction holds merges: one under way copies what it has seen.
 */
export async function insertUnsubscribe(trx: Trx, orgId: string, deliveryId: string): Promise<void> {
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    select ${orgId}::uuid, gen_random_uuid(), channel, address, 'unsubscribed' from deliveries
    cross join lateral (
      select "to" as address union ${otherAddresses(orgId, sql`channel`, sql`"to"`)}
    ) as reached
    where org_id = ${orgId} and id = ${deliveryId} and "to" is not null
    order by address
    on conflict (org_id, channel, address) do nothing
  `.execute(trx);
}

/** Suppresses the other addresses of the contact with an address, which it has by merges, for the same reason. */
export async function suppressOtherAddresses(
  trx: Trx,
  orgId: string,
  { channel, address, reason }: NewSuppression,
): Promise<void> {
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    select ${orgId}::uuid, gen_random_uuid(), ${channel}, other.address, ${reason}
    from (${otherAddresses(orgId, sql`${channel}::text`, sql`${address}::text`)}) as other
    order by address
    on conflict (org_id, channel, address) do nothing
  `.execute(trx);
}

/** SQL: the addresses on a channel that the contact with one address has besides it, by merges. */
const otherAddresses = (
  org: string | RawBuilder<unknown>,
  channel: RawBuilder<unknown>,
  address: RawBuilder<unknown>,
) => {
  const orgId = typeof org === 'string' ? sql`${org}::uuid` : org;
  return sql`
  select other.address from (
    select id from contacts where org_id = ${orgId} and ${channel} = 'email' and email = ${address}
    union select id from contacts where org_id = ${orgId} and ${channel} <> 'email' and phone_number = ${address}
    union select contact_id from contact_merges where org_id = ${orgId} and ${channel} = 'email' and email = ${address}
    union select contact_id from contact_merges where org_id = ${orgId} and ${channel} <> 'email' and phone_number = ${address}
  ) as person
  join contact_merges as merge on merge.org_id = ${orgId} and merge.contact_id = person.id
  join contacts as contact on contact.org_id = ${orgId} and contact.id = person.id
  cross join lateral (values
    (case ${channel} when 'email' then merge.email else merge.phone_number end),
    (case ${channel} when 'email' then contact.email else contact.phone_number end)
  ) as other (address)
  where other.address is not null and other.address <> ${address}`;
};

/**
 * SQL: the insertion of what the rows `refused (org_id, channel, "to", suppression, suppression_id)` suppress: each address, and
 * of an opt-out the other addresses of a contact that was merged. The newest reason wins, but a bounce stays a bounce.
 */
export const SUPPRESS_REFUSED = sql`
  insert into suppressions (org_id, id, channel, address, reason)
  select distinct on (channel, address) org_id, id, channel, address, reason from (
    select org_id, suppression_id as id, channel, "to" as address, suppression as reason from refused
    union all
    select refused.org_id, gen_random_uuid(), refused.channel, other.address, refused.suppression from refused
    cross join lateral (${otherAddresses(sql`refused.org_id`, sql`refused.channel`, sql`refused."to"`)}) as other
    where refused.suppression <> 'bounced'
  ) as reached
  order by channel, address, reason = 'bounced' desc
  on conflict (org_id, channel, address) do update set reason = excluded.reason where suppressions.reason <> 'bounced'`;

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

/** A suppression to be made. */
export type NewSuppression = Pick<SuppressionsTable, 'channel' | 'address' | 'reason'>;

/**
 * Lists the suppressions that some addresses of one person have and the others lack. A bounce says nothing of another
 * address.
 */
export async function listMissingSuppressions(
  db: Db,
  orgId: string,
  { emails, phones }: { emails: string[]; phones: string[] },
): Promise<NewSuppression[]> {
  const { rows } = await sql<NewSuppression>`
    with reached as (
      select 'email' as channel, email as address from unnest(${emails}::text[]) as email
      union all
      select channel, phone from unnest(${phones}::text[]) as phone cross join unnest('{sms,whatsapp,voice}'::text[]) as channel
    ),
    suppressed as (
      select reached.channel, reached.address, suppression.reason, suppression.created_at from reached
      join suppressions as suppression on suppression.org_id = ${orgId}
        and suppression.channel = reached.channel and suppression.address = reached.address
    ),
    opted_out as (
      select distinct on (channel) channel, reason from suppressed where reason <> 'bounced' order by channel, created_at
    )
    select reached.channel, reached.address, opted_out.reason from reached join opted_out on opted_out.channel = reached.channel
    where not exists (
      select from suppressed where suppressed.channel = reached.channel and suppressed.address = reached.address
    )
    order by reached.channel, reached.address
  `.execute(db);
  return rows;
}

/** Suppresses addresses. Those that are suppressed already stay unchanged. */
export async function insertSuppressions(trx: Trx, orgId: string, suppressions: NewSuppression[]): Promise<void> {
  if (suppressions.length === 0) return;
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    select ${orgId}::uuid, gen_random_uuid(), channel, address, reason
    from jsonb_to_recordset(${JSON.stringify(suppressions)}::jsonb) as new (channel text, address text, reason text)
    order by channel, address
    on conflict (org_id, channel, address) do nothing
  `.execute(trx);
}
