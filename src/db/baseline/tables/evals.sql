create table ai_eval_cases (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  messages jsonb not null,
  channel text not null,
  contact_id uuid,
  verified boolean not null default false,
  stubs jsonb not null,
  checks jsonb not null,
  session_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete set null (contact_id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade
);
create index ai_eval_cases_by_contact on ai_eval_cases (org_id, contact_id) where contact_id is not null;
create index ai_eval_cases_by_creation on ai_eval_cases (org_id, created_at, id);
create index ai_eval_cases_by_session on ai_eval_cases (org_id, session_id) where session_id is not null;

create table ai_eval_runs (
  org_id uuid not null,
  id uuid not null,
  settings text not null,
  started_by text not null,
  state text not null,
  config jsonb not null,
  config_version integer,
  cases integer not null default 0,
  passed integer not null default 0,
  failed integer not null default 0,
  cost numeric not null default 0,
  drift jsonb,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check ((ended_at is null) = (state = 'running')),
  check (settings in ('draft', 'published')),
  check (started_by in ('api', 'nightly')),
  check (state in ('running', 'done', 'canceled'))
);
create index ai_eval_runs_by_age on ai_eval_runs (ended_at) where ended_at is not null;
create index ai_eval_runs_by_creation on ai_eval_runs (org_id, created_at, id);
create unique index ai_eval_runs_not_ended on ai_eval_runs (org_id) where ended_at is null;

create table ai_eval_results (
  org_id uuid not null,
  run_id uuid not null,
  position integer not null,
  case_id uuid not null,
  session_id uuid,
  name text not null,
  definition jsonb,
  state text not null,
  checks jsonb not null default '[]'::jsonb,
  error text,
  turn jsonb,
  cost numeric,
  latency_ms integer,
  ended_at timestamptz(3),
  primary key (org_id, run_id, "position"),
  unique (org_id, run_id, case_id),
  foreign key (org_id, run_id) references ai_eval_runs(org_id, id) on delete cascade,
  check ((ended_at is null) = (state = 'waiting')),
  check (state in ('waiting', 'passed', 'failed'))
);
create index ai_eval_results_by_session on ai_eval_results (org_id, session_id) where session_id is not null;
create index ai_eval_results_waiting on ai_eval_results (org_id, run_id, "position") where ended_at is null;
