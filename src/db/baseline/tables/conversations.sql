create table sessions (
  org_id uuid not null,
  id uuid not null,
  contact_id uuid,
  channel text not null,
  status text not null default 'open',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_message_at timestamptz(3),
  ticket_number bigint not null,
  custom_status_id smallint,
  status_code smallint generated always as (coalesce((custom_status_id)::integer,
case status
    when 'open' then 0
    when 'closed_resolved' then 1
    else 2
end)) stored not null,
  ai_closure_type text,
  sentiment text,
  assist_mode boolean not null default false,
  verified boolean,
  waiting_on text,
  language text,
  assignee_id bigint,
  team_id uuid,
  custom_data jsonb not null default '{}'::jsonb,
  editable_custom_data jsonb not null default '{}'::jsonb,
  summary text,
  handoff jsonb,
  ticketing_system jsonb,
  session_closed_payload jsonb,
  closed_at timestamptz(3),
  resolutions integer not null default 0,
  last_seq integer not null default 0,
  queued_at timestamptz,
  last_event_xid xid8 not null default '0'::xid8,
  relayed_side text,
  has_sla boolean not null default false,
  ai_state text not null default 'off',
  ai_context_seq integer not null default 0,
  summary_by text,
  contact_messages integer not null default 0,
  ai_messages integer not null default 0,
  agent_messages integer not null default 0,
  first_contact_message_at timestamptz(3),
  first_ai_message_at timestamptz(3),
  first_agent_message_at timestamptz(3),
  first_handoff_at timestamptz(3),
  last_contact_seq integer not null default 0,
  handoffs integer not null default 0,
  reflects_resolution boolean not null default false,
  active_at timestamptz(3),
  active_depth integer not null default coalesce((nullif(current_setting('switchboard.depth', true), ''))::integer, 0),
  primary key (org_id, id),
  unique (org_id, ticket_number),
  foreign key (org_id, assignee_id) references members(org_id, user_id) on delete set null (assignee_id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete set null (contact_id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, team_id) references teams(org_id, id) on delete set null (team_id),
  check (ai_closure_type in ('assumed_resolved', 'handed_off', 'resolved')),
  check (ai_state in ('on', 'off', 'paused')),
  check (channel in ('web', 'email', 'phone_voice', 'slack', 'sms', 'whatsapp', 'instagram', 'messenger', 'api',
    'web_voice')),
  check (relayed_side in ('customer', 'agents', 'both')),
  check (sentiment in ('angry', 'happy', 'neutral')),
  check (status in ('open', 'closed_resolved', 'closed_unresolved')),
  check (waiting_on in ('customers', 'human_agents'))
);
create index sessions_by_assignee on sessions (org_id, assignee_id) where status = 'open' and assignee_id is not null;
create index sessions_by_channel on sessions (org_id, channel);
create index sessions_by_closure on sessions (org_id, ai_closure_type) where ai_closure_type is not null;
create index sessions_by_contact on sessions (org_id, contact_id, created_at) where contact_id is not null;
create index sessions_by_creation on sessions (org_id, created_at, id) include (status, channel, team_id, assignee_id,
  language, contact_messages, ai_messages, agent_messages, first_contact_message_at, first_ai_message_at,
  first_agent_message_at, first_handoff_at, closed_at);
create index sessions_by_custom_data on sessions using gin (org_id,
  custom_data jsonb_path_ops) with (fastupdate=off) where custom_data <> '{}'::jsonb;
create index sessions_by_inactivity on sessions (org_id, coalesce(active_at, last_message_at, created_at), id)
  where status = 'open';
create index sessions_by_language on sessions (org_id, language) where language is not null;
create index sessions_by_last_message on sessions (org_id, last_message_at desc nulls last, id desc);
create index sessions_by_sentiment on sessions (org_id, sentiment) where sentiment is not null;
create index sessions_by_status on sessions (org_id, status_code);
create index sessions_by_team on sessions (org_id, team_id) where team_id is not null;
create index sessions_by_update on sessions (org_id, updated_at, id);
create index sessions_of_assignee on sessions (org_id, assignee_id) where assignee_id is not null;
create index sessions_open on sessions (org_id, id) where status = 'open';
create index sessions_pending_handoff on sessions (org_id, id) where (handoff ->> 'state') = 'pending';
create index sessions_waiting on sessions (org_id, team_id, queued_at, id) where status = 'open'
  and assignee_id is null and team_id is not null and queued_at is not null;

create table redactions (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  session_id uuid not null,
  message_id uuid,
  reason text,
  api_key_id uuid not null,
  affected integer not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, session_id) references sessions(org_id, id),
  check (kind in ('message', 'session'))
);
create index redactions_by_session on redactions (org_id, session_id, created_at);

create table session_events (
  org_id uuid not null,
  session_id uuid not null,
  seq integer not null,
  id uuid not null,
  type text not null,
  sender text,
  content text,
  data jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default now(),
  xid xid8 not null default position_of_xid(pg_current_xact_id()),
  language text,
  search tsvector,
  own_words text,
  primary key (org_id, session_id, seq),
  unique (org_id, id),
  foreign key (org_id, session_id) references sessions(org_id, id),
  check ((type = 'message') = (sender is not null)),
  check (sender in ('contact', 'ai', 'human_agent', 'system'))
);
create index session_checkpoints on session_events (org_id, session_id, seq) where type = 'state_checkpoint';
create index session_events_ai_resolved on session_events (org_id, created_at) include (session_id, seq)
  where type = 'ai_resolved_issue';
create index session_events_by_words on session_events using gin (org_id,
  search) with (gin_pending_list_limit='512') where search is not null;
create index session_events_handoffs on session_events (org_id, created_at, id) include (session_id, seq)
  where type = 'handoff';
create index session_events_in_order on session_events (org_id, xid, session_id, seq);
create index session_events_returns on session_events (org_id, session_id, seq) where type = 'returned_to_ai';

create table session_tags (
  org_id uuid not null,
  session_id uuid not null,
  tag_key text not null,
  is_auto boolean not null default false,
  primary key (org_id, session_id, tag_key),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  foreign key (org_id, tag_key) references tags(org_id, tag_key) on delete cascade
);
create index session_tags_by_tag on session_tags (org_id, tag_key, session_id);

create table ticket_counters (
  org_id uuid not null,
  last_number bigint not null,
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);
