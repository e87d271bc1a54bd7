import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { CURRENT_REQUEST } from '../db/connections/preparing-client.ts';
import { type Announcement, SUBSCRIBER_EVENTS } from './events.ts';
import { wakeForEvents } from './wake.ts';

export type { Announcement, SessionAnnouncement, SessionState } from './events.ts';

/** A row of a query for events to announce. */
export type AnnouncedRow = Announcement & { org_id: string };

/**
 * Announces events in their order, in the transaction of the change. Those of SUBSCRIBER_EVENTS are announced only where
 * somebody waits for them. Column defaults read the causing run of a customer's workflow from the transaction.
 */
export async function announce(trx: Trx, orgId: string, events: Announcement[]): Promise<void> {
  if (events.length === 0) return;
  const { numAffectedRows = 0n } = await announcementOf(rowsOf(orgId, events)).execute(trx);
  if (numAffectedRows > 0n) wakeForEvents(trx);
}

/**
 * Returns SQL that announces an event for each row of a query, for a statement that does more. A condition on what else it
 * does can follow. The statement is executed by `announcing`. Only `rowsOf` leaves out events without subscribers.
 */
export const announcementOf = (rows: RawBuilder<AnnouncedRow>) => sql`
  insert into outbox (org_id, kind, type, subject_id, payload, request_id)
  select org_id, 'event', type, subject_id, payload, ${CURRENT_REQUEST}::text from (${rows}) as announced`;

/** Returns events as rows, in their order. */
export function rowsOf(orgId: string, events: Announcement[]): RawBuilder<AnnouncedRow> {
  const types = [...new Set(events.map(({ type }) => type))].filter((type) => SUBSCRIBER_EVENTS.has(type));
  const unheard = sql`array(select one from unnest(${types}::text[]) as one where not has_subscribers(${orgId}, one))`;
  return sql`
    select ${orgId}::uuid as org_id, type, subject_id, payload
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (type text, subject_id uuid, payload jsonb)
    ${types.length === 0 ? sql`` : sql`where type <> all(${unheard})`}`;
}

/** Awaits the execution of a statement that announces. The relay is woken once the statement has committed. */
export async function announcing<Result>(db: Db, execution: Promise<Result>): Promise<Result> {
  const result = await execution;
  wakeForEvents(db);
  return result;
}

/**
 * Awaits the execution of a statement that rarely announces, and says whether it may have. Only then the relay is woken once
 * the statement has committed.
 */
export async function announcingSome(
  db: Db,
  execution: Promise<{ rows: { may_have_announced: boolean }[] }>,
): Promise<void> {
  const { rows } = await execution;
  if (rows[0]?.may_have_announced === true) wakeForEvents(db);
}
