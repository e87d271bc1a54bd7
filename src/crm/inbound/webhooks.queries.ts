import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { announcementOf, announcing } from '../../outbox/announcing.ts';
import type { CrmEventPayload } from './table.ts';

export interface NewCrmEvent {
  key: string;
  queue: string;
  type: string;
  object_id: string;
  /** In epoch milliseconds. */
  at: number;
  payload: CrmEventPayload;
  skipped: string | null;
}

export interface NewBatch {
  id: string;
  /** Compressed. */
  body: Buffer;
  events: NewCrmEvent[];
  unsupported: number;
  malformed: number;
  received_at: Date;
}

/**
 * Inserts batches and their new events, and announces batches with events to process. Everything is one atomic
 * statement, because it runs more often than any other.
 */
export async function insertBatches(db: Db, orgId: string, batches: NewBatch[]): Promise<void> {
  const rows = batches.map(
    ({ id, body, events, unsupported, malformed, received_at }) =>
      sql`(${orgId}::uuid, ${id}::uuid, ${body}, ${events.length}::int, ${unsupported}::int, ${malformed}::int, ${received_at}::timestamptz)`,
  );
  const withWork = batches.filter(({ events }) => events.some(({ skipped }) => skipped === null)).map(({ id }) => id);
  await announcing(
    db,
    sql`
    with batch as (
      insert into crm_batches (org_id, id, body, events, unsupported, malformed, received_at) values ${sql.join(rows)}
    ), event as (${insertEvents(orgId, batches)})
    ${announcementOf(
      sql`select ${orgId}::uuid as org_id, 'crm-events-received' as type, id as subject_id, '{}'::jsonb as payload from unnest(${withWork}::uuid[]) as id`,
    )}
  `.execute(db),
  );
}

/** Inserts the new events of batches. */
export const insertEvents = (orgId: string, batches: Pick<NewBatch, 'id' | 'events'>[]) => sql`
  insert into crm_events (org_id, dedupe_key, batch_id, queue, type, object_id, occurred_at, payload, state, reason, settled_at)
  select ${orgId}::uuid, k, (${batches.map(({ id }) => id)}::uuid[])[b], q, t, o, to_timestamp(a / 1000), p,
    case when s is null then 'queued' else 'skipped' end, s, case when s is not null then now() end
  from json_to_recordset(${JSON.stringify(compactEventsOf(batches))}::json)
    as event (b int, k text, q text, t text, o text, a double precision, p jsonb, s text)
  on conflict (org_id, dedupe_key) do nothing
`;

/**
 * Returns the events of batches with short property names, sorted: writers of the same events lock them in the same
 * order and cannot deadlock.
 */
function compactEventsOf(batches: Pick<NewBatch, 'events'>[]) {
  const events = batches.flatMap((batch, nth) =>
    batch.events.map(({ key, queue, type, object_id, at, payload, skipped }) => {
      const event = { b: nth + 1, k: key, q: queue, t: type, o: object_id, a: at, p: payload };
      return skipped === null ? event : { ...event, s: skipped };
    }),
  );
  return events.sort((one, other) => one.a - other.a || (one.k < other.k ? -1 : 1));
}

/** Returns the queues with queued events of these batches. */
export async function listQueuesOfBatches(db: Db, orgId: string, batchIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('crm_events')
    .select('queue')
    .distinct()
    .where('org_id', '=', orgId)
    .where('batch_id', '=', sql<string>`any(${batchIds})`)
    .where('state', '=', 'queued')
    .execute();
  return rows.map(({ queue }) => queue);
}
