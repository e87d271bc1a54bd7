create table insight_counters (
  org_id uuid not null,
  last_number integer not null,
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);

create table insight_extractions (
  org_id uuid not null,
  session_id uuid not null,
  number integer not null,
  made_by text not null,
  statements integer not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, session_id, number),
  foreign key (org_id, session_id) references sessions(org_id, id)
);

create table insight_reviews (
  org_id uuid not null,
  requested_at timestamptz(3) not null default now(),
  tags jsonb,
  model bytea,
  reviewed_at timestamptz(3),
  primary key (org_id),
  foreign key (org_id) references orgs(id),
  check ((model is null) = (tags is null))
);

create table insight_spaces (
  org_id uuid not null,
  space text not null,
  sum bytea not null,
  vectors integer not null,
  revision bigint not null,
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);

create table insight_terms (
  org_id uuid not null,
  bucket integer not null,
  texts integer not null,
  primary key (org_id, bucket),
  foreign key (org_id) references orgs(id)
);

create table insights (
  org_id uuid not null,
  id uuid not null,
  number integer not null,
  content text not null,
  named_by text not null,
  name_sources uuid[] not null default '{}'::uuid[],
  named_at_count integer not null default 1,
  category text,
  category_by text,
  status text not null default 'unresolved',
  sentiment text,
  angry integer not null default 0,
  happy integer not null default 0,
  neutral integer not null default 0,
  occurrence_count integer not null default 0,
  first_seen_at timestamptz(3),
  last_seen_at timestamptz(3),
  team_id uuid,
  resolved_at timestamptz(3),
  resolved_by uuid,
  archived_reason text,
  reopened_because uuid,
  merged_into uuid,
  root_id uuid not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, number),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, merged_into) references insights(org_id, id),
  foreign key (org_id, reopened_because) references sessions(org_id, id),
  foreign key (org_id, root_id) references insights(org_id, id),
  foreign key (org_id, team_id) references teams(org_id, id) on delete set null (team_id),
  check (category_by in ('person', 'classifier')),
  constraint insights_category_check check (
case
    when (category is null) then (category_by is distinct from 'classifier')
    else (category_by is not null)
end),
  constraint insights_check1 check ((merged_into is null) = (root_id = id)),
  check (named_by in ('quote', 'model', 'person', 'redaction')),
  check (sentiment in ('angry', 'happy', 'neutral')),
  check (status in ('unresolved', 'resolved', 'archived'))
);
create index insights_by_merge on insights (org_id, merged_into) where merged_into is not null;
create index insights_by_occurrences on insights (org_id, occurrence_count) where merged_into is null;
create index insights_by_reopening on insights (org_id, reopened_because) where reopened_because is not null;
create index insights_by_root on insights (org_id, root_id);
create index insights_by_team on insights (org_id, team_id) where team_id is not null;

create table insight_centroids (
  org_id uuid not null,
  insight_id uuid not null,
  space text not null,
  sum bytea not null,
  vectors integer not null,
  revision bigint not null,
  primary key (org_id, insight_id),
  foreign key (org_id, insight_id) references insights(org_id, id)
);
create index insight_centroids_by_revision on insight_centroids (org_id, revision);
create index insight_centroids_by_space on insight_centroids (org_id, space);

create table insight_operations (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  insight_id uuid not null,
  other_id uuid not null,
  done_by uuid not null,
  undone_by uuid,
  created_at timestamptz(3) not null default now(),
  undone_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id, insight_id) references insights(org_id, id),
  foreign key (org_id, other_id) references insights(org_id, id),
  check ((undone_by is null) = (undone_at is null)),
  check (kind in ('merge', 'split'))
);
create index insight_operations_by_creation on insight_operations (org_id, created_at, id);
create index insight_operations_by_insight on insight_operations (org_id, insight_id);
create index insight_operations_by_other on insight_operations (org_id, other_id);

create table insight_proposals (
  org_id uuid not null,
  id uuid not null,
  insight_id uuid not null,
  other_id uuid not null,
  similarity float8 not null,
  dismissed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, insight_id, other_id),
  foreign key (org_id, insight_id) references insights(org_id, id),
  foreign key (org_id, other_id) references insights(org_id, id)
);
create index insight_proposals_by_other on insight_proposals (org_id, other_id);

create table insight_sessions (
  org_id uuid not null,
  insight_id uuid not null,
  session_id uuid not null,
  sentiment text,
  channel text not null,
  language text,
  status text not null,
  ticket_sentiment text,
  contact_id uuid,
  session_created_at timestamptz(3) not null,
  primary key (org_id, insight_id, session_id),
  foreign key (org_id, insight_id) references insights(org_id, id),
  foreign key (org_id, session_id) references sessions(org_id, id)
);
create index insight_sessions_by_channel on insight_sessions (org_id, channel, insight_id);
create index insight_sessions_by_contact on insight_sessions (org_id, contact_id, insight_id)
  where contact_id is not null;
create index insight_sessions_by_creation on insight_sessions (org_id, session_created_at, insight_id);
create index insight_sessions_by_language on insight_sessions (org_id, language, insight_id) where language is not null;
create index insight_sessions_by_sentiment on insight_sessions (org_id, sentiment, insight_id)
  where sentiment is not null;
create index insight_sessions_by_session on insight_sessions (org_id, session_id, insight_id);
create index insight_sessions_by_several on insight_sessions (org_id, insight_id, status, language, channel,
  ticket_sentiment, sentiment, session_created_at);
create index insight_sessions_by_status on insight_sessions (org_id, status, insight_id);
create index insight_sessions_by_ticket_sentiment on insight_sessions (org_id, ticket_sentiment, insight_id)
  where ticket_sentiment is not null;
create index insight_sessions_by_time on insight_sessions (org_id, session_created_at) include (insight_id, status,
  language, channel, ticket_sentiment, sentiment);

create table insight_statements (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  message_id uuid not null,
  own_insight_id uuid,
  insight_id uuid,
  kind text,
  content text not null,
  quote text not null,
  sentiment text,
  said_at timestamptz(3) not null,
  space text,
  vector bytea,
  created_at timestamptz(3) not null default now(),
  has_terms boolean not null default false,
  primary key (org_id, id),
  foreign key (org_id, insight_id) references insights(org_id, id),
  foreign key (org_id, own_insight_id) references insights(org_id, id),
  foreign key (org_id, session_id) references sessions(org_id, id),
  check ((own_insight_id is null) = (insight_id is null)),
  constraint insight_statements_check1 check ((space is null) = (vector is null)),
  check (kind in ('problem', 'request', 'complaint', 'praise', 'question')),
  check (sentiment in ('angry', 'happy', 'neutral'))
);
create index insight_statements_by_insight on insight_statements (org_id, insight_id, said_at, id);
create index insight_statements_by_own_insight on insight_statements (org_id, own_insight_id, said_at, id);
create index insight_statements_by_session on insight_statements (org_id, session_id);

create table insight_moves (
  org_id uuid not null,
  operation_id uuid not null,
  statement_id uuid not null,
  own_insight_id uuid not null,
  primary key (org_id, operation_id, statement_id),
  foreign key (org_id, operation_id) references insight_operations(org_id, id),
  foreign key (org_id, own_insight_id) references insights(org_id, id),
  foreign key (org_id, statement_id) references insight_statements(org_id, id) on delete cascade
);
create index insight_moves_by_own_insight on insight_moves (org_id, own_insight_id);
create index insight_moves_by_statement on insight_moves (org_id, statement_id);
