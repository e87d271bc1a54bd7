import { sql } from 'kysely';
import type { Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';
import type { EventType } from './events.ts';

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
 * Locks an org's subscriptions, and which workflows are active, until the transaction ends. Waits for transactions that have read them, and later ones
 * wait for this one: so every change that is committed after it is announced.
 */
export async function lockSubscriptions(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `subscriptions ${orgId}`);
}
