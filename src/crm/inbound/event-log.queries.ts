import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { Position } from '../../db/cursor.ts';
import { onlyRow } from '../../db/rows.ts';
import { NIL_UUID } from '../../ids.ts';
import type { CrmEventState } from './table.ts';
import { insertEvents, type NewBatch } from './webhooks.queries.ts';

/** A stored batch. */
export interface StoredBatch {
  id: string;
  received_at: Date;
  body: Buffer;
}

export interface BatchSummary {
  id: string;
  received_at: Date;
  events: number;
  unsupported: number;
  malformed: number;
  states: Record<CrmEventState, number>;
}

const STATES = sql`
  select jsonb_build_object(
    'queued', count(*) filter (where state = 'queued'), 'done', count(*) filter (where state = 'done'),
    'skipped', count(*) filter (where state = 'skipped'), 'failed', count(*) filter (where state = 'failed')) as states
  from crm_events where org_id = batch.org_id and batch_id = batch.id`;

/**
 * Returns batches received before `settled` and after the given position, latest first: up to one more than `limit`.
 */
export async function listBatches(
  db: Db,
  orgId: string,
  { settled, after, limit }: { settled: Date; after: Position | undefined; limit: number },
): Promise<BatchSummary[]> {
  const { rows } = await sql<BatchSummary>`
    select id, received_at, events, unsupported, malformed, states
    from crm_batches as batch cross join lateral (${STATES}) as counted
    where org_id = ${orgId} and received_at < ${settled}
      and (received_at, id) < (${after?.at ?? settled}::timestamptz, ${after?.id ?? MAX_UUID}::uuid)
    order by received_at desc, id desc limit ${limit + 1}
  `.execute(db);
  return rows;
}

const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function findBatch(db: Db, orgId: string, id: string): Promise<(BatchSummary & StoredBatch) | undefined> {
  const { rows } = await sql<BatchSummary & StoredBatch>`
    select id, received_at, events, unsupported, malformed, body, states
    from crm_batches as batch cross join lateral (${STATES}) as counted
    where org_id = ${orgId} and id = ${id}
  `.execute(db);
  return rows[0];
}

/** Returns the states of events, regardless of the batch that brought them first. */
export function listEventsByKey(db: Db, orgId: string, keys: string[]) {
  return db
    .selectFrom('crm_events')
    .select(['dedupe_key', 'state', 'reason', 'settled_at'])
    .where('org_id', '=', orgId)
    .where('dedupe_key', '=', sql<string>`any(${keys})`)
    .execute();
}

/**
 * Returns batches received within a period, in order. Bodies are null once the batches before them contain `mostEvents`
 * events.
 */
export async function listBatchBodies(
  db: Db,
  orgId: string,
  page: { from: Date; to: Date; after: Position | undefined; limit: number; mostEvents: number },
): Promise<(Omit<StoredBatch, 'body'> & { body: Buffer | null })[]> {
  const { from, to, after, limit, mostEvents } = page;
  const { rows } = await sql<Omit<StoredBatch, 'body'> & { body: Buffer | null }>`
    select id, received_at, case when before < ${mostEvents} then body end as body from (
      select id, received_at, body, sum(events) over (order by received_at, id) - events as before from (
        select id, received_at, body, events from crm_batches
        where org_id = ${orgId} and received_at >= ${from} and received_at < ${to}
          and (received_at, id) > (${after?.at ?? from}::timestamptz, ${after?.id ?? NIL_UUID}::uuid)
        order by received_at, id limit ${limit}
      ) as batch
    ) as batch order by received_at, id
  `.execute(db);
  return rows;
}

export type BatchEvents = Pick<NewBatch, 'id' | 'events'>;

/** Queues events that are unknown or have failed. Returns their queues, one entry per queued event. */
export async function requeueEvents(db: Db, orgId: string, batches: BatchEvents[]): Promise<string[]> {
  const { rows } = await sql<{ queue: string; state: CrmEventState }>`
    with fresh as (${insertEvents(orgId, batches)} returning queue, state), again as (
      update crm_events set state = 'queued', reason = null, settled_at = null, not_before = null
      where org_id = ${orgId} and dedupe_key = any(${keysOf(batches)}) and state = 'failed'
      returning queue, state
    )
    select queue, state from fresh union all select queue, state from again
  `.execute(db);
  return rows.filter(({ state }) => state === 'queued').map(({ queue }) => queue);
}

/** Returns the queues of those of these events that wait for the CRM after an outage. */
export async function listWaitingQueues(db: Db, orgId: string, batches: BatchEvents[]): Promise<string[]> {
  const rows = await db
    .selectFrom('crm_events')
    .select('queue')
    .distinct()
    .where('org_id', '=', orgId)
    .where('dedupe_key', '=', sql<string>`any(${keysOf(batches)})`)
    .where('state', '=', 'queued')
    .where('reason', 'is not', null)
    .execute();
  return rows.map(({ queue }) => queue);
}

/** Returns the number of these events left unchanged by requeueEvents. */
export async function countUnchanged(db: Db, orgId: string, keys: string[]): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*) as count from crm_events where org_id = ${orgId} and dedupe_key = any(${keys}) and state <> 'failed'
  `.execute(db);
  return onlyRow(counted).count;
}

const keysOf = (batches: BatchEvents[]) => batches.flatMap(({ events }) => events.map(({ key }) => key));
