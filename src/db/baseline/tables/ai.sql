create table ai_calibrations (
  org_id uuid not null,
  threshold float8,
  report jsonb,
  requested_at timestamptz(3) not null default now(),
  measured_at timestamptz(3),
  passages integer,
  last_chunk bigint,
  primary key (org_id),
  foreign key (org_id) references orgs(id),
  check ((passages is null) = (last_chunk is null))
);

create table ai_configs (
  org_id uuid not null,
  draft jsonb not null,
  published jsonb not null,
  version integer not null,
  updated_at timestamptz(3) not null default now(),
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);

create table ai_summaries (
  org_id uuid not null,
  session_id uuid not null,
  occasion text not null,
  at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, session_id, occasion),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  check (occasion in ('handoff', 'resolution'))
);

create table ai_turns (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  number integer not null,
  state text not null,
  reason text,
  agent text,
  first_seq integer not null,
  last_seq integer not null,
  answers uuid[] not null,
  message_id uuid not null,
  has_message boolean not null default false,
  config_version integer not null,
  supersedes smallint not null default 0,
  tries smallint not null default 0,
  has_effects boolean not null default false,
  score float8,
  due_at timestamptz(3) not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  is_helpful boolean,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost numeric not null default 0,
  channel text,
  team_id uuid,
  redactions integer not null default 0,
  failures integer not null default 0,
  primary key (org_id, id),
  unique (org_id, session_id, number),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  check ((ended_at is null) = (state in ('waiting', 'running'))),
  check (state in ('waiting', 'running', 'answered', 'asked', 'handed_off', 'skipped', 'superseded', 'canceled'))
);
create index ai_turns_by_creation on ai_turns (org_id, created_at, id) include (state, channel, team_id, input_tokens,
  output_tokens, cost);
create index ai_turns_by_message on ai_turns (org_id, message_id);
create index ai_turns_by_quotes on ai_turns (org_id, ended_at) where agent = 'extractive-1' and state = 'answered'
  and reason is null;
create index ai_turns_by_state on ai_turns (org_id, state, created_at, id);
create unique index ai_turns_not_ended on ai_turns (org_id, session_id) where ended_at is null;

create table ai_calls (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  turn_id uuid not null,
  epoch integer not null,
  contact_id uuid,
  action_id uuid,
  operation_id text not null,
  name text not null,
  arguments jsonb,
  fingerprint text not null,
  state text not null,
  needs text,
  needs_because text,
  confirmed_by text,
  decided_key_id uuid,
  token_hash text,
  expires_at timestamptz(3),
  is_repeatable boolean not null default false,
  tries smallint not null default 0,
  status integer,
  response jsonb,
  reason text,
  settled_key_id uuid,
  leased_until timestamptz(3),
  reported_at timestamptz(3),
  redacted_at timestamptz(3),
  decided_at timestamptz(3),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  workflow_id uuid,
  deferred_at timestamptz(3),
  asked_message_id uuid,
  decided_message_id uuid,
  primary key (org_id, id),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  foreign key (org_id, turn_id) references ai_turns(org_id, id) on delete cascade,
  check ((state = 'needs_confirmation') <= (needs is not null and expires_at is not null)),
  constraint ai_calls_check1 check ((ended_at is not null) = (state in ('rejected', 'expired', 'done', 'failed',
    'unknown'))),
  constraint ai_calls_check2 check (num_nonnulls(action_id, workflow_id) = 1),
  check (confirmed_by in ('link', 'widget', 'message', 'agent')),
  check (needs_because in ('form', 'always', 'untrusted', 'limits', 'rejected_before')),
  check (needs in ('customer', 'agent')),
  check (state in ('proposed', 'needs_confirmation', 'confirmed', 'rejected', 'expired', 'running', 'done', 'failed',
    'unknown'))
);
create index ai_calls_by_creation on ai_calls (org_id, created_at, id);
create index ai_calls_by_state on ai_calls (org_id, state, created_at, id);
create unique index ai_calls_by_token on ai_calls (org_id, token_hash) where token_hash is not null;
create index ai_calls_of_session on ai_calls (org_id, session_id, epoch, created_at);
create index ai_calls_of_turn on ai_calls (org_id, turn_id);
create index ai_calls_of_workflow on ai_calls (org_id, workflow_id) where state = 'running' and workflow_id is not null;
create unique index ai_calls_once on ai_calls (org_id, session_id, epoch, fingerprint) where state in ('proposed',
  'needs_confirmation', 'confirmed', 'running', 'done', 'unknown');
create index ai_calls_to_expire on ai_calls (expires_at) where state = 'needs_confirmation';

create table ai_claims (
  org_id uuid not null,
  turn_id uuid not null,
  position smallint not null,
  item_id uuid not null,
  chunk integer not null,
  url text,
  title text not null,
  heading text not null,
  quote text,
  start_offset integer not null,
  end_offset integer not null,
  hash text not null,
  id uuid not null default gen_random_uuid(),
  changed_at timestamptz(3),
  primary key (org_id, turn_id, "position"),
  foreign key (org_id, turn_id) references ai_turns(org_id, id) on delete cascade
);
create index ai_claims_by_item on ai_claims (org_id, item_id, turn_id);
create index ai_claims_changed on ai_claims (org_id, changed_at, id) where changed_at is not null;

create table ai_steps (
  org_id uuid not null,
  turn_id uuid not null,
  step smallint not null,
  purpose text not null,
  model text,
  tries smallint not null default 1,
  usage jsonb,
  cost numeric,
  latency_ms integer not null,
  detail jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default now(),
  decision jsonb,
  primary key (org_id, turn_id, step),
  foreign key (org_id, turn_id) references ai_turns(org_id, id) on delete cascade,
  check (purpose in ('gates', 'search', 'plan', 'call', 'answer'))
);

create table ai_workflow_tools (
  org_id uuid not null,
  workflow_id uuid not null,
  name text not null,
  description text,
  arguments jsonb,
  channels text[],
  confirm text not null,
  requires_verified boolean not null,
  limits jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, workflow_id),
  foreign key (org_id, workflow_id) references automations(org_id, id) on delete cascade,
  check (confirm in ('auto', 'always'))
);
