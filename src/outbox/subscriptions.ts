import { sql } from 'kysely';
import type { Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';
import { type EventType, INSERT_EVENTS, type NewEvent } from './events.ts';
import { wakeForEvents } from './wake.ts';

/** Replaces the types of events that somebody waits for in an org. The caller has called lockSubscriptions. */
export async function replaceSubscriptions(trx: Trx, orgId: string, types: EventType[]): Promise<void> {
  await sql`
    with removed as (
      delete from event_subscriptions where org_id = ${orgId} and type <> all(${types}::text[])
    )
    insert into event_subscriptions (org_id, type) select ${orgId}::uuid, type from unnest(${types}::text[]) as type
    on conflict do nothing
  `.execute(trx);
}

/**
 * Locks an org's subscriptions until the transaction ends. Waits for transactions that have read them, and later ones
 * wait for this one: so every change that is committed after it is announced.
 */
export async function lockSubscriptions(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `subscriptions ${orgId}`);
}

/** Announces events like `announce`, where somebody waits for them. */
export async function announceToSubscribers<Type extends EventType>(
  trx: Trx,
  orgId: string,
  type: Type,
  events: NewEvent<Type>[],
): Promise<void> {
  if (events.length === 0) return;
  const { numAffectedRows = 0n } = await sql`
    ${sql.raw(INSERT_EVENTS)}
    select ${orgId}::uuid, 'event', ${type}, subject_id, payload
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (subject_id uuid, payload jsonb)
    where (select has_subscribers(${orgId}, ${type}))
  `.execute(trx);
  if (numAffectedRows > 0n) wakeForEvents(trx);
}
