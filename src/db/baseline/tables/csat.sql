create table csat_scores (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  resolution integer not null,
  score smallint not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, session_id, resolution),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  check (score >= 1 and score <= 5)
);
create index csat_scores_by_creation on csat_scores (org_id, created_at, id) include (score, session_id);
