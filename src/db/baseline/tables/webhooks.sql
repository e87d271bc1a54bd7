create table webhook_endpoints (
  org_id uuid not null,
  id uuid not null,
  url text not null,
  description text,
  event_types text[] not null,
  payload text not null,
  ordered boolean not null,
  max_per_second integer,
  header_names text[] not null,
  headers text,
  secret text not null,
  enabled boolean not null,
  disabled_because text,
  disabled_at timestamptz(3),
  failures integer not null default 0,
  failing_since timestamptz(3),
  probe_at timestamptz(3),
  next_slot_at timestamptz(3),
  is_sending boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  earlier_secrets jsonb not null default '[]'::jsonb,
  recoveries jsonb not null default '[]'::jsonb,
  last_failed_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check ((enabled = (disabled_because is null)) and (enabled = (disabled_at is null))),
  check (disabled_because in ('by_hand', 'gone', 'failing')),
  check (max_per_second > 0),
  check (payload in ('full', 'thin'))
);
create index webhook_endpoints_by_creation on webhook_endpoints (org_id, created_at, id) where deleted_at is null;
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;

create table webhook_deliveries (
  org_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  occurred_at timestamptz(3) not null,
  session_id uuid,
  sequence integer,
  data jsonb not null,
  status text not null,
  attempts integer not null default 0,
  round_attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  redacted_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id, endpoint_id) references webhook_endpoints(org_id, id) on delete cascade,
  check ((status = 'retrying') = (next_attempt_at is not null)),
  check (status in ('pending', 'retrying', 'delivered', 'failed', 'held'))
);
create index webhook_deliveries_by_age on webhook_deliveries (created_at) where status in ('delivered', 'failed',
  'held');
create index webhook_deliveries_by_creation on webhook_deliveries (org_id, endpoint_id, created_at, id);
create index webhook_deliveries_by_insight on webhook_deliveries (org_id, (((data -> 'insight') ->> 'id')))
  where event_type ~~ 'insight.%';
create index webhook_deliveries_by_session on webhook_deliveries (org_id, session_id) where session_id is not null;
create index webhook_deliveries_of_contact on webhook_deliveries (org_id, coalesce(((data -> 'contact') ->> 'id'),
  ((data -> 'delivery') ->> 'contact_id'))) where coalesce(((data -> 'contact') ->> 'id'),
  ((data -> 'delivery') ->> 'contact_id')) is not null;
create index webhook_deliveries_open on webhook_deliveries (org_id, endpoint_id, session_id, sequence)
  where session_id is not null and status in ('pending', 'retrying');
create index webhook_deliveries_undelivered on webhook_deliveries (org_id, endpoint_id, status, created_at, id,
  occurred_at) where status <> 'delivered';

create table webhook_attempts (
  org_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  at timestamptz(3) not null,
  status integer,
  duration_ms integer not null,
  answer text,
  error text,
  next_attempt_at timestamptz(3),
  primary key (org_id, delivery_id, number),
  foreign key (org_id, delivery_id) references webhook_deliveries(org_id, id) on delete cascade
);

create table webhook_sequences (
  org_id uuid not null,
  endpoint_id uuid not null,
  session_id uuid not null,
  last integer not null,
  primary key (org_id, endpoint_id, session_id),
  foreign key (org_id, endpoint_id) references webhook_endpoints(org_id, id) on delete cascade,
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade
);
create index webhook_sequences_by_session on webhook_sequences (org_id, session_id);
