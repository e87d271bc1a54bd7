import { type Kysely, sql } from 'kysely';

/**
 * A session knows the `seq` of its contact's last message: whether the contact wrote after an event is seen without
 * reading messages. It is written by the statement that appends the message.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add column last_contact_seq integer not null default 0;
    update sessions as session set last_contact_seq = said.seq
    from (
      select org_id, session_id, max(seq) as seq from session_events where sender = 'contact' group by org_id, session_id
    ) as said
    where session.org_id = said.org_id and session.id = said.session_id;

    drop index session_events_ai_resolved;
    create index session_events_ai_resolved on session_events (org_id, created_at) include (session_id, seq)
      where type = 'ai_resolved_issue';
  `.execute(db);
}
