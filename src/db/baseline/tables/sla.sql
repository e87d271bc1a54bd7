create table sla_policies (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  office_hours_id uuid,
  first_reply_target_seconds integer,
  next_reply_target_seconds integer,
  resolution_target_seconds integer,
  assignment jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, office_hours_id) references office_hours(org_id, id),
  check (first_reply_target_seconds >= 60),
  check (next_reply_target_seconds >= 60),
  check (resolution_target_seconds >= 300)
);
create index sla_policies_by_creation on sla_policies (org_id, created_at, id);
create index sla_policies_by_office_hours on sla_policies (org_id, office_hours_id) where office_hours_id is not null;

create table session_slas (
  org_id uuid not null,
  session_id uuid not null,
  policy_id uuid not null,
  is_over boolean not null default false,
  applied_at timestamptz(3) not null default now(),
  next_at timestamptz(3) default now(),
  primary key (org_id, session_id),
  foreign key (org_id, policy_id) references sla_policies(org_id, id) on delete cascade,
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade
);
create index session_slas_by_policy on session_slas (org_id, policy_id, is_over, session_id);
create index session_slas_open on session_slas (org_id, session_id) where not is_over;

create table sla_clocks (
  org_id uuid not null,
  session_id uuid not null,
  metric text not null,
  cycle integer not null,
  policy_id uuid,
  target_seconds integer not null,
  elapsed_seconds float8 not null,
  changes_told integer not null,
  warned_at timestamptz(3),
  breached_at timestamptz(3),
  stopped_at timestamptz(3),
  outcome text,
  decided_at timestamptz(3),
  channel text,
  team_id uuid,
  assignee_id bigint,
  primary key (org_id, session_id, metric, cycle),
  foreign key (org_id, policy_id) references sla_policies(org_id, id) on delete set null (policy_id),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  check ((outcome is null) = (decided_at is null)),
  check (metric in ('first_reply', 'next_reply', 'resolution')),
  check (outcome in ('met', 'breached'))
);
create index sla_clocks_by_decision on sla_clocks (org_id, decided_at) include (metric, outcome, elapsed_seconds,
  stopped_at, policy_id, channel, team_id, assignee_id) where decided_at is not null;
create index sla_clocks_by_policy on sla_clocks (org_id, policy_id) where policy_id is not null;
