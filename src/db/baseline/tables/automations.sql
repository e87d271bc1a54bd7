create table automation_events (
  org_id uuid not null,
  event_id text not null,
  output jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, event_id)
);
create index automation_events_by_age on automation_events (created_at);
create index automation_events_of_session on automation_events (org_id, ((output #>> '{session,id}'::text[])))
  where (output #>> '{session,id}'::text[]) is not null;

create table handoff_holds (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  is_elsewhere boolean not null,
  created_at timestamptz(3) not null default now(),
  handoff_number integer not null,
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);

create table automation_runs (
  org_id uuid not null,
  id uuid not null,
  automation_id uuid not null,
  version_id bigint not null,
  status text not null default 'idle',
  trigger_cause text not null,
  trigger_key text not null,
  trigger_output jsonb not null,
  depth integer not null default 0,
  is_test_run boolean not null default false,
  is_waiting boolean not null default false,
  error text,
  created_at timestamptz(3) not null default now(),
  run_started_at timestamptz(3),
  run_ended_at timestamptz(3),
  handoff_hold_id uuid,
  resumed_at jsonb,
  batch_id uuid,
  left_batch boolean not null default false,
  redactions integer not null default 0,
  primary key (org_id, id),
  unique (org_id, automation_id, trigger_key),
  check (status in ('idle', 'in_progress', 'completed', 'failed', 'canceled')),
  check (trigger_cause in ('manual', 'automatic', 'scheduled'))
);
create index automation_runs_active on automation_runs (org_id) where status = 'in_progress' and (not is_waiting)
  and (batch_id is null or left_batch);
create index automation_runs_by_creation on automation_runs (org_id, created_at) include (status, automation_id,
  trigger_cause, is_test_run, run_started_at, run_ended_at);
create index automation_runs_ended on automation_runs (run_ended_at) where run_ended_at is not null;
create index automation_runs_idle on automation_runs (org_id, created_at, id) where status = 'idle';
create index automation_runs_in_batch on automation_runs (org_id, batch_id, created_at, id)
  where status = 'in_progress' and batch_id is not null and (not left_batch);
create index automation_runs_in_order on automation_runs (org_id, automation_id, created_at, id);
create index automation_runs_in_progress on automation_runs (org_id, id) where status = 'in_progress';
create index automation_runs_of_handoff_hold on automation_runs (org_id, handoff_hold_id)
  where handoff_hold_id is not null;
create index automation_runs_of_session on automation_runs (org_id,
  ((trigger_output #>> '{session,id}'::text[]))) where (trigger_output #>> '{session,id}'::text[]) is not null;
create index automation_runs_scheduled on automation_runs (org_id, automation_id) where trigger_cause = 'scheduled'
  and status in ('idle', 'in_progress');

create table automation_listeners (
  org_id uuid not null,
  run_id uuid not null,
  trigger_type text not null,
  primary key (org_id, run_id, trigger_type),
  foreign key (org_id, run_id) references automation_runs(org_id, id) on delete cascade
);
create index automation_listeners_by_type on automation_listeners (org_id, trigger_type);

create table automation_received_events (
  org_id uuid not null,
  run_id uuid not null,
  event_id text not null,
  trigger_type text not null,
  is_consumed boolean not null default false,
  received_at timestamptz(3) not null default now(),
  checked_path text,
  primary key (org_id, run_id, event_id),
  foreign key (org_id, event_id) references automation_events(org_id, event_id),
  foreign key (org_id, run_id) references automation_runs(org_id, id) on delete cascade
);
create index automation_received_events_of_event on automation_received_events (org_id, event_id);
create index automation_received_events_unchecked on automation_received_events (org_id, run_id, trigger_type,
  checked_path) where not is_consumed;

create table automation_retries (
  org_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  path text not null,
  step_id text not null,
  is_skip boolean not null,
  is_input_changed boolean not null,
  reason text,
  api_key_id text not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, run_id) references automation_runs(org_id, id) on delete cascade
);
create index automation_retries_of_run on automation_retries (org_id, run_id, created_at);

create table automation_steps (
  org_id uuid not null,
  run_id uuid not null,
  path text not null,
  step_id text not null,
  type text not null,
  name text,
  status text not null,
  input jsonb,
  changed_input jsonb,
  output jsonb,
  error text,
  attempts integer not null default 0,
  started_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  characters integer generated always as (coalesce(length((input)::text), 0) + coalesce(length((output)::text),
    0)) stored not null,
  changed_input_origins text[],
  primary key (org_id, run_id, path),
  foreign key (org_id, run_id) references automation_runs(org_id, id) on delete cascade,
  check (status in ('in_progress', 'waiting', 'completed', 'failed', 'skipped'))
);
create index automation_steps_of_awaited_event on automation_steps (org_id,
  ((output #>> '{event,session,id}'::text[]))) where (output #>> '{event,session,id}'::text[]) is not null;
create index automation_steps_of_session on automation_steps (org_id, ((input ->> 'session_id')))
  where (input ->> 'session_id') is not null;

create table automations (
  org_id uuid not null,
  id uuid not null,
  webhook_token text not null,
  active_version bigint,
  constraint_errors integer not null default 0,
  last_constraint_error text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  schedule_error text,
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);
create index automations_active on automations (org_id, active_version) where active_version is not null;
create unique index automations_by_id on automations (id);
create index automations_deleted on automations (org_id, id) where deleted_at is not null;
create index automations_in_order on automations (org_id, created_at, id);

create table automation_versions (
  org_id uuid not null,
  id bigint generated always as identity,
  automation_id uuid not null,
  version_number integer not null,
  name text not null,
  description text,
  trigger_type text not null,
  trigger_configuration jsonb,
  trigger_constraints jsonb,
  workflow_blocks jsonb not null,
  workflow_editor_state jsonb,
  created_at timestamptz(3) not null default now(),
  characters integer generated always as (length((workflow_blocks)::text) + coalesce(length((workflow_editor_state)::text), 0)) stored not null,
  credential_origins jsonb,
  primary key (org_id, id),
  unique (org_id, automation_id, id),
  unique (org_id, automation_id, version_number),
  foreign key (org_id, automation_id) references automations(org_id, id) on delete cascade
);

create table inactivity_clocks (
  org_id uuid not null,
  automation_id uuid not null,
  minutes integer not null,
  silent_since timestamptz(3) not null,
  session_id uuid not null,
  primary key (org_id, automation_id),
  foreign key (org_id, automation_id) references automations(org_id, id) on delete cascade
);
