create table due_work (
  id bigint generated always as identity,
  org_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  number integer not null default 0,
  is_begun boolean not null default false,
  primary key (id),
  check (kind in ('sla', 'assignment', 'embedding', 'insight-extraction'))
);
create index due_work_by_subject on due_work (kind, org_id, subject_id, number);

create table event_subscriptions (
  org_id uuid not null,
  type text not null,
  primary key (org_id, type),
  foreign key (org_id) references orgs(id) on delete cascade
);

create table outbox (
  id bigint generated always as identity,
  org_id uuid not null,
  kind text not null,
  type text not null,
  subject_id uuid not null,
  workflow_id text,
  task_queue text,
  signal text,
  summary text,
  payload jsonb not null,
  causation text default nullif(current_setting('switchboard.causation', true), ''),
  depth integer not null default coalesce((nullif(current_setting('switchboard.depth', true), ''))::integer, 0),
  attempts integer not null default 0,
  last_error text,
  available_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  interruptions integer not null default 0,
  is_deferrable boolean not null default false,
  primary key (id),
  check (kind = 'event' or (workflow_id is not null and task_queue is not null)),
  constraint outbox_check1 check (kind <> 'signal' or signal is not null),
  check (kind in ('event', 'start', 'signal'))
);
create index outbox_by_workflow on outbox (workflow_id, id) where workflow_id is not null;
create index outbox_commands_in_order on outbox (org_id, is_deferrable, id) where kind <> 'event';
create index outbox_events on outbox (id) where kind = 'event';
create index outbox_events_by_org on outbox (org_id, id) where kind = 'event';
create index outbox_interrupted_events on outbox (org_id, subject_id, id) where kind = 'event' and interruptions > 0;

create table outbox_claims (
  id bigint generated always as identity,
  org_id uuid not null,
  event_ids bigint[] not null,
  created_at timestamptz(3) not null default now(),
  backend_pid integer not null default 0,
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  primary key (id)
);
create index outbox_claims_by_org on outbox_claims (org_id);
