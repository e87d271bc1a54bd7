create table action_calls (
  org_id uuid not null,
  key text not null,
  answer jsonb,
  began_at timestamptz(3) not null default now(),
  primary key (org_id, key),
  foreign key (org_id) references orgs(id)
);
create index action_calls_by_age on action_calls (org_id, began_at);

create table actions (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  api_endpoint text not null,
  request_type text not null,
  operation_id text not null,
  payload jsonb not null,
  channels text[] not null,
  pinned boolean not null,
  tags text[] not null,
  require_form_submission boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  retry_safe boolean not null default false,
  requires_verified boolean not null default false,
  confirm text not null default 'auto',
  limits jsonb,
  connection_kind text,
  connection_name text,
  connection_operation text,
  primary key (org_id, id),
  unique (org_id, operation_id),
  foreign key (org_id, connection_kind, connection_name) references integrations(org_id, kind, name) on delete cascade,
  foreign key (org_id) references orgs(id),
  check (num_nulls(connection_kind, connection_name, connection_operation) = any (array[0, 3])),
  check (confirm in ('auto', 'always')),
  check (request_type in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE'))
);
create unique index actions_by_connection on actions (org_id, connection_kind, connection_name,
  connection_operation) where connection_kind is not null;

create table message_overrides (
  org_id uuid not null,
  message_id uuid not null,
  sealed text not null,
  primary key (org_id, message_id),
  foreign key (org_id, message_id) references session_events(org_id, id) on delete cascade
);
