import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { CrmEventPayload } from './table.ts';

export interface QueuedEvent {
  dedupe_key: string;
  type: string;
  object_id: string;
  occurred_at: Date;
  payload: CrmEventPayload;
  /** Whether it was deferred. */
  has_waited: boolean;
  /** The remaining delay, in ms. */
  wait_ms: number;
}

/** Returns the queued events of a queue in order of their occurrence: all, or only those that are due. */
export async function listQueuedEvents(
  db: Db,
  orgId: string,
  queue: string,
  { limit, areDue = false }: { limit: number; areDue?: boolean },
): Promise<QueuedEvent[]> {
  return db
    .selectFrom('crm_events')
    .select(['dedupe_key', 'type', 'object_id', 'occurred_at', 'payload'])
    .select(sql<boolean>`not_before is not null`.as('has_waited'))
    .select(
      sql<number>`greatest(0, ceil(extract(epoch from coalesce(not_before, now()) - now()) * 1000))::integer`.as(
        'wait_ms',
      ),
    )
    .where('org_id', '=', orgId)
    .where('queue', '=', queue)
    .where('state', '=', 'queued')
    .$if(areDue, (query) => query.where(sql<boolean>`coalesce(not_before, now()) <= now()`))
    .orderBy('occurred_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export type Settlement = { state: 'done' | 'skipped' | 'failed'; reason?: string };

/** Locks an event until the transaction ends. Returns whether it is still queued. */
export async function lockEvent(trx: Trx, orgId: string, key: string): Promise<boolean> {
  const held = await trx
    .selectFrom('crm_events')
    .select('id')
    .where('org_id', '=', orgId)
    .where('dedupe_key', '=', key)
    .where('state', '=', 'queued')
    .forUpdate()
    .executeTakeFirst();
  return held !== undefined;
}

/** Settles a queued event. */
export async function settleEvent(
  db: Db,
  orgId: string,
  key: string,
  { state, reason = undefined }: Settlement,
): Promise<void> {
  await db
    .updateTable('crm_events')
    .set({ state, reason: reason?.slice(0, 500) ?? null, settled_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('dedupe_key', '=', key)
    .where('state', '=', 'queued')
    .execute();
}

/** Records what a queued event waits for. */
export async function updateWaitReason(db: Db, orgId: string, key: string, reason: string): Promise<void> {
  await db
    .updateTable('crm_events')
    .set({ reason: reason.slice(0, 500) })
    .where('org_id', '=', orgId)
    .where('dedupe_key', '=', key)
    .where('state', '=', 'queued')
    .execute();
}

/** Defers an event, counted from its arrival, unless it was deferred before. Returns the remaining delay, in ms. */
export async function deferEvent(db: Db, orgId: string, key: string, delayMs: number): Promise<number> {
  const { rows } = await sql<{ wait_ms: number }>`
    update crm_events set not_before = coalesce(not_before, (
      select received_at from crm_batches as batch where batch.org_id = crm_events.org_id and batch.id = crm_events.batch_id
    ) + ${delayMs}::integer * interval '1 millisecond', now())
    where org_id = ${orgId} and dedupe_key = ${key} and state = 'queued'
    returning greatest(0, ceil(extract(epoch from not_before - now()) * 1000))::integer as wait_ms
  `.execute(db);
  return rows[0]?.wait_ms ?? 0;
}

/** Returns the delay until the next event of a queue is due, in ms; 0 if none is deferred. */
export async function findNextDelay(db: Db, orgId: string, queue: string): Promise<number> {
  const { rows } = await sql<{ wait_ms: number | null }>`
    select ceil(extract(epoch from min(not_before) - now()) * 1000)::integer as wait_ms from crm_events
    where org_id = ${orgId} and queue = ${queue} and state = 'queued' and not_before is not null
  `.execute(db);
  const { wait_ms = null } = rows[0] ?? {};
  return wait_ms === null ? 0 : Math.max(1, wait_ms);
}

/**
 * Defers an event to the next of these delays, counted from its arrival. Returns the remaining delay, in ms, or
 * undefined if all of them are over.
 */
export async function deferToNext(
  db: Db,
  orgId: string,
  key: string,
  delaysMs: readonly number[],
): Promise<number | undefined> {
  const { rows } = await sql<{ wait_ms: number }>`
    update crm_events as event set not_before = next.at
    from (
      select min(batch.received_at + delay.ms * interval '1 millisecond') as at
      from crm_events as waiting
      join crm_batches as batch on batch.org_id = waiting.org_id and batch.id = waiting.batch_id
      cross join unnest(${delaysMs}::integer[]) as delay (ms)
      where waiting.org_id = ${orgId} and waiting.dedupe_key = ${key}
        and batch.received_at + delay.ms * interval '1 millisecond' > now()
    ) as next
    where event.org_id = ${orgId} and event.dedupe_key = ${key} and event.state = 'queued' and next.at is not null
    returning greatest(1, ceil(extract(epoch from event.not_before - now()) * 1000))::integer as wait_ms
  `.execute(db);
  return rows[0]?.wait_ms;
}
