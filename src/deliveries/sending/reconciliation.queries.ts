import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import type { Channel, ReconcileSendsInput } from '../contract.ts';
import { SUPPRESS_REFUSED } from '../suppressions/shared.queries.ts';
import type { Settlement } from './outcomes.rules.ts';

export interface UnknownSend {
  id: string;
  channel: Channel;
  to: string;
  /** The sent text, if it is stored. */
  body: string | null;
  /** The text that may have been sent in its place. */
  other_body: string | null;
  /** The sender that it asked for, if other than the connection's. */
  from: string | null;
  began_at: Date;
  lookups: number;
}

/** Lists unknown sends due for reconciliation. */
export async function listUnknownSends(db: Db, orgId: string, limit: number): Promise<UnknownSend[]> {
  const { rows } = await sql<UnknownSend>`
    select id, channel, "to", content->>'body' as body, content->'media'->>'text' as other_body, content->>'from' as "from", began_at, lookups from deliveries
    where org_id = ${orgId} and look_up_at <= now() and status = 'unknown'
    order by look_up_at limit ${limit}
  `.execute(db);
  return rows;
}

/** Schedules the next reconciliation of a send after the delay, or never for null. One that was ended meanwhile stays so. */
export async function deferReconciliation(db: Db, orgId: string, id: string, delayMs: number | null): Promise<void> {
  await sql`
    update deliveries set lookups = lookups + 1, look_up_at = now() + ${delayMs}::float8 * interval '1 millisecond'
    where org_id = ${orgId} and id = ${id} and look_up_at is not null
  `.execute(db);
}

/**
 * Settles an unknown send with the provider's answer. Does nothing if it was settled meanwhile, or if the found message
 * belongs, or may belong, to another delivery.
 */
export async function settleReconciled(
  db: Db,
  orgId: string,
  id: string,
  { provider, status, reason, providerId, suppression }: Settlement & { provider: string },
): Promise<boolean> {
  const settled = await db
    .updateTable('deliveries')
    .set({
      status,
      reason: sql<string>`concat_ws('; ', ${reason}::text, 'found at the provider: ' || reason)`,
      provider,
      provider_id: providerId,
      look_up_at: null,
      sent_at: status === 'accepted' ? sql<Date>`coalesce(sent_at, began_at)` : null,
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'unknown')
    .where(
      sql<SqlBool>`not exists (
        select from deliveries as other
        where other.org_id = ${orgId} and other.provider = ${provider} and other.provider_id = ${providerId}
      )`,
    )
    .where(sql<SqlBool>`not ${mayMatchAnotherSend(orgId)}`)
    .returning(['channel', 'to'])
    .executeTakeFirst();
  if (settled !== undefined && suppression !== null) {
    await sql`
      with refused as (
        select ${orgId}::uuid as org_id, ${settled.channel}::text as channel, ${settled.to}::text as "to",
          ${suppression}::text as suppression, ${newId()}::uuid as suppression_id
      )
      ${SUPPRESS_REFUSED}
    `.execute(db);
  }
  return settled !== undefined;
}

/**
 * SQL: whether another SMS to the same number is in doubt too. Twilio shows no id of ours, so a found message could
 * belong to either. A send begun a minute earlier cannot be confused with this one: if at all, it reached Twilio
 * earlier.
 */
const mayMatchAnotherSend = (orgId: string) => sql<SqlBool>`(deliveries.channel = 'sms' and exists (
  select from deliveries as other
  where other.org_id = ${orgId} and other.status in ('sending', 'unknown') and other.channel = 'sms' and other."to" = deliveries."to"
    and other.id <> deliveries.id and other.began_at > deliveries.began_at - interval '1 minute'
))`;

/** Milliseconds until the next reconciliation of an unknown send, or null. */
export async function findNextReconciliationMs(db: Db, orgId: string): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(look_up_at) - now())::float8 * 1000 as ms from deliveries
    where org_id = ${orgId} and look_up_at is not null and status = 'unknown'
  `.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(Math.ceil(ms), 1_000);
}

/** Returns the orgs with unknown sends that are still to be reconciled. */
export async function listOrgsWithUnknownSends(
  db: Db,
  after: ReconcileSendsInput | undefined,
  limit: number,
): Promise<ReconcileSendsInput[]> {
  const { rows } = await sql<ReconcileSendsInput>`
    select distinct org_id as "orgId" from deliveries
    where look_up_at is not null and status = 'unknown'
      and ${after === undefined ? sql`true` : sql`org_id > ${after.orgId}::uuid`}
    order by org_id limit ${limit}
  `.execute(db);
  return rows;
}
