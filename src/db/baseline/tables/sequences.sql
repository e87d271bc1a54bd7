create table sequences (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  custom_id text,
  is_continuous boolean not null,
  filter jsonb,
  status text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  paused_at timestamptz(3),
  canceled_at timestamptz(3),
  ended_at timestamptz(3),
  paused_reason text,
  deleted_at timestamptz(3),
  gates jsonb not null default '{}'::jsonb,
  changes_to_apply integer not null default 1,
  has_stale_turns boolean not null default false,
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check (status in ('pending', 'active', 'paused', 'complete', 'canceled'))
);
create index sequences_active on sequences (org_id, id) where status = 'active' and deleted_at is null;
create index sequences_by_creation on sequences (org_id, created_at, id) where deleted_at is null;
create unique index sequences_custom_id_key on sequences (org_id, custom_id) where deleted_at is null;
create index sequences_listening on sequences (org_id) where is_continuous and deleted_at is null
  and status in ('active', 'paused');

create table sequence_forecasts (
  org_id uuid not null,
  id uuid not null,
  sequence_id uuid not null,
  state text not null default 'in_progress',
  contacts_done integer not null default 0,
  contacts integer not null,
  steps jsonb,
  error text,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, sequence_id) references sequences(org_id, id) on delete cascade,
  check ((state = 'in_progress') = (ended_at is null)),
  check (state in ('in_progress', 'done', 'failed'))
);
create index sequence_forecasts_by_age on sequence_forecasts (created_at);
create index sequence_forecasts_by_sequence on sequence_forecasts (org_id, sequence_id);
create unique index sequence_forecasts_in_progress on sequence_forecasts (org_id, sequence_id)
  where state = 'in_progress';

create table sequence_runs (
  org_id uuid not null,
  id uuid not null,
  sequence_id uuid not null,
  enrolled_through uuid,
  is_enrolled boolean not null,
  created_at timestamptz(3) not null default now(),
  canceled_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id, sequence_id) references sequences(org_id, id)
);
create index sequence_runs_by_sequence on sequence_runs (org_id, sequence_id, created_at);

create table sequence_steps (
  org_id uuid not null,
  id uuid not null,
  sequence_id uuid not null,
  position integer not null,
  action jsonb not null,
  delay_in_minutes float8 not null,
  deleted_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id, sequence_id) references sequences(org_id, id)
);
create index sequence_steps_in_order on sequence_steps (org_id, sequence_id, "position");

create table enrollments (
  org_id uuid not null,
  id uuid not null,
  sequence_id uuid not null,
  contact_id uuid not null,
  run_id uuid,
  status text not null default 'active',
  last_step_id uuid,
  anchor_at timestamptz(3) not null default now(),
  held_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  exit_reason text,
  primary key (org_id, id),
  unique (org_id, sequence_id, contact_id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete cascade,
  foreign key (org_id, last_step_id) references sequence_steps(org_id, id),
  foreign key (org_id, run_id) references sequence_runs(org_id, id),
  foreign key (org_id, sequence_id) references sequences(org_id, id),
  check (status in ('active', 'complete', 'canceled', 'exited'))
);
create index enrollments_by_contact on enrollments (org_id, contact_id);
create index enrollments_by_creation on enrollments (org_id, sequence_id, created_at, id);
create index enrollments_by_last_step on enrollments (org_id, last_step_id);
create index enrollments_by_run on enrollments (org_id, run_id) where status = 'active';
create index enrollments_due on enrollments (org_id, sequence_id, coalesce(last_step_id, sequence_id), anchor_at)
  where status = 'active' and held_until is null;
create index enrollments_held on enrollments (org_id, sequence_id, held_until) where status = 'active'
  and held_until is not null;
