create table ai_budget_notices (
  org_id uuid not null,
  budget text not null,
  period date not null,
  level text not null,
  allowance text not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, budget, period, level, allowance),
  foreign key (org_id) references orgs(id) on delete cascade,
  check (budget in ('day', 'month')),
  check (level in ('warning', 'exhausted'))
);
create index ai_budget_notices_by_age on ai_budget_notices (period);

create table ai_model_calls (
  org_id uuid not null,
  id uuid not null,
  session_id uuid,
  turn_id uuid,
  purpose text not null,
  model text not null,
  reserved_tokens integer not null,
  reserved_cost numeric not null,
  input integer,
  output integer,
  cached integer,
  is_estimated boolean,
  cost numeric,
  problem text,
  request_id text,
  latency_ms integer,
  created_at timestamptz(3) not null default now(),
  settled_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete set null (session_id),
  check ((settled_at is null) = (input is null))
);
create index ai_model_calls_by_age on ai_model_calls (settled_at);
create index ai_model_calls_by_session on ai_model_calls (org_id, session_id) where session_id is not null;
create index ai_model_calls_by_turn on ai_model_calls (org_id, turn_id) where turn_id is not null;
create index ai_model_calls_open on ai_model_calls (created_at) where settled_at is null;
create index ai_model_calls_open_by_org on ai_model_calls (org_id, created_at) where settled_at is null;

create table ai_usage (
  org_id uuid not null,
  day date not null,
  model text not null,
  purpose text not null,
  calls integer not null,
  failed_calls integer not null,
  estimated_calls integer not null,
  input bigint not null,
  output bigint not null,
  cached bigint not null,
  cost numeric not null,
  primary key (org_id, day, model, purpose),
  foreign key (org_id) references orgs(id)
);
