import { type Kysely, sql } from 'kysely';

/**
 * Sessions as the support desk works them. What happens in a session is one row of session_events, a message among the rest; `seq` counts
 * from 1 without gaps in the order of commits, as the session's row is locked until then. `xid` orders the events of a whole org: those
 * of transactions older than any open one are final.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ticket_counters (
      org_id uuid primary key references orgs (id),
      last_number bigint not null
    );

    alter table sessions
      add column ticket_number bigint,
      add column custom_status_id smallint,
      add column status_code smallint not null generated always as (coalesce(custom_status_id,
        case status when 'open' then 0 when 'closed_resolved' then 1 else 2 end)) stored,
      add column ai_closure_type text check (ai_closure_type in ('assumed_resolved', 'handed_off', 'resolved')),
      add column sentiment text check (sentiment in ('angry', 'happy', 'neutral')),
      add column assist_mode boolean not null default false,
      add column verified boolean,
      add column waiting_on text check (waiting_on in ('customers', 'human_agents')),
      add column language text,
      add column assignee_id bigint,
      add column team_id uuid,
      add column custom_data jsonb not null default '{}',
      add column editable_custom_data jsonb not null default '{}',
      add column summary text,
      add column handoff jsonb,
      add column ticketing_system jsonb,
      add column session_closed_payload jsonb,
      add column closed_at timestamptz(3),
      add column resolutions integer not null default 0,
      add column last_seq integer not null default 0,
      add foreign key (org_id, assignee_id) references members (org_id, user_id) on delete set null (assignee_id),
      add foreign key (org_id, team_id) references teams (org_id, id) on delete set null (team_id);
    update sessions set ticket_number = numbered.ticket_number
      from (select org_id, id, row_number() over (partition by org_id order by created_at, id) as ticket_number from sessions) as numbered
      where sessions.org_id = numbered.org_id and sessions.id = numbered.id;
    insert into ticket_counters (org_id, last_number) select org_id, max(ticket_number) from sessions group by org_id;
    alter table sessions
      alter column ticket_number set not null,
      add unique (org_id, ticket_number);
    create index sessions_by_creation on sessions (org_id, created_at, id);
    create index sessions_by_update on sessions (org_id, updated_at, id);
    create index sessions_by_assignee on sessions (org_id, assignee_id) where status = 'open' and assignee_id is not null;
    create index sessions_by_team on sessions (org_id, team_id) where team_id is not null;

    create table session_tags (
      org_id uuid not null,
      session_id uuid not null,
      tag_key text not null,
      primary key (org_id, session_id, tag_key),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      foreign key (org_id, tag_key) references tags (org_id, tag_key) on delete cascade
    );
    create index session_tags_by_tag on session_tags (org_id, tag_key, session_id);

    create table session_events (
      org_id uuid not null,
      session_id uuid not null,
      seq integer not null,
      id uuid not null,
      type text not null,
      sender text check (sender in ('contact', 'ai', 'human_agent', 'system')),
      content text,
      data jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      xid xid8 not null default pg_current_xact_id(),
      primary key (org_id, session_id, seq),
      unique (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id),
      check ((type = 'message') = (sender is not null))
    );
    create index session_events_in_order on session_events (org_id, xid, id);

    insert into session_events (org_id, session_id, seq, id, type, sender, content, created_at)
      select org_id, session_id, row_number() over (partition by org_id, session_id order by created_at, id), id, 'message', sender, content,
        created_at from messages;
    update sessions set last_seq = counted.count
      from (select org_id, session_id, count(*) from session_events group by org_id, session_id) as counted
      where sessions.org_id = counted.org_id and sessions.id = counted.session_id;
    drop table messages;
  `.execute(db);
}
