import { type Kysely, sql } from 'kysely';

/** Events say who caused them. Sessions know since when their contact waits, and which message was the last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session_events add column actor jsonb`.execute(db);
  await sql`
    create index session_events_turns on session_events (org_id, session_id, seq) where type = 'ai_turn'
  `.execute(db);
  await sql`
    alter table sessions
      add column waiting_since timestamptz(3),
      add column last_message_seq integer not null default 0
  `.execute(db);
  await sql`
    update sessions as session set
      last_message_seq = coalesce(told.last, 0),
      waiting_since = case when session.status = 'open' and session.waiting_on = 'human_agents' then coalesce((
        select min(asked.created_at) from session_events as asked
        where asked.org_id = session.org_id and asked.session_id = session.id and asked.type = 'message'
          and asked.sender = 'contact' and asked.seq > coalesce(told.last_answer, 0)
      ), session.last_message_at, session.created_at) end
    from (
      select org_id, session_id, max(seq) as last,
        max(seq) filter (where type = 'message' and sender in ('ai', 'human_agent')) as last_answer
      from session_events where type in ('message', 'workflow_message') group by org_id, session_id
    ) as told
    where told.org_id = session.org_id and told.session_id = session.id
  `.execute(db);
  await sql`
    create table session_reads (
      org_id uuid not null,
      session_id uuid not null,
      user_id bigint not null,
      read_seq integer not null,
      is_unread boolean not null default false,
      primary key (org_id, session_id, user_id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade
    )
  `.execute(db);
  await sql`create index session_reads_of_member on session_reads (org_id, user_id)`.execute(db);
}
