import { type Kysely, sql } from 'kysely';

/**
 * Has the events of a whole org keep the order of each session: an event's `xid` is that of the transaction which wrote it, or that of
 * the event before it in its session where that is higher, as in a transaction that had written before it waited for the session.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add column last_event_xid xid8 not null default '0';
    drop index session_events_in_order;
    create index session_events_in_order on session_events (org_id, xid, session_id, seq);
  `.execute(db);
}
