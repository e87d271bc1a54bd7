create table crm_batches (
  org_id uuid not null,
  id uuid not null,
  body bytea not null,
  events integer not null,
  unsupported integer not null,
  malformed integer not null,
  received_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);
-- The body is compressed already.
alter table crm_batches alter column body set storage external;
create index crm_batches_by_age on crm_batches (received_at);
create index crm_batches_by_org on crm_batches (org_id, received_at, id);

create table crm_due_stages (
  org_id uuid not null,
  session_id uuid not null,
  stage text not null,
  due_since timestamptz(3) not null default now(),
  primary key (org_id, session_id),
  foreign key (org_id) references orgs(id),
  check (stage in ('closed', 'open'))
);

-- The org is checked once for a batch, and not for each of its hundred events.
create table crm_events (
  org_id uuid not null,
  dedupe_key text not null,
  id bigint generated always as identity,
  batch_id uuid not null,
  queue text not null,
  type text not null,
  object_id text not null,
  occurred_at timestamptz(3) not null,
  payload jsonb not null default '{}'::jsonb,
  state text not null default 'queued',
  reason text,
  not_before timestamptz(3),
  created_at timestamptz(3) not null default now(),
  settled_at timestamptz(3),
  primary key (org_id, dedupe_key),
  check (state in ('queued', 'done', 'skipped', 'failed'))
);
create index crm_events_by_batch on crm_events (org_id, batch_id);
create index crm_events_queued on crm_events (org_id, queue, occurred_at, id) where state = 'queued';
create index crm_events_texts on crm_events (org_id, object_id) where type = 'ticket.propertyChange'
  and ((payload ->> 'property_name') = any (array['subject', 'content']));
create index crm_events_waiting on crm_events (created_at, id) where state = 'queued';

create table crm_handoff_parts (
  org_id uuid not null,
  session_id uuid not null,
  part text not null,
  position smallint not null,
  state text not null default 'pending',
  external_id text,
  error text,
  attempts integer not null default 0,
  is_ambiguous boolean not null default false,
  is_to_close boolean not null default false,
  first_tried_at timestamptz(3),
  last_tried_at timestamptz(3),
  next_try_at timestamptz(3),
  updated_at timestamptz(3) not null default now(),
  handoff_number integer not null default 1,
  leased_until timestamptz(3),
  primary key (org_id, session_id, part),
  foreign key (org_id, session_id) references sessions(org_id, id),
  check (state in ('pending', 'running', 'parked', 'done', 'skipped', 'failed', 'settled'))
);
create index crm_handoff_parts_parked on crm_handoff_parts (org_id, session_id) where state = 'parked';
create index crm_handoff_parts_unfinished on crm_handoff_parts (org_id, session_id) where state in ('pending',
  'running', 'parked');

create table crm_links (
  org_id uuid not null,
  session_id uuid not null,
  thread_id text,
  contact_id text,
  ticket_id text,
  read_until timestamptz(3),
  property_times jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, session_id),
  unique (org_id, thread_id),
  unique (org_id, ticket_id),
  foreign key (org_id, session_id) references sessions(org_id, id)
);

create table crm_messages (
  org_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  external_id text,
  state text not null default 'queued',
  attempts integer not null default 0,
  error text,
  first_tried_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  settled_at timestamptz(3),
  target text not null,
  primary key (org_id, id),
  unique (org_id, external_id),
  foreign key (org_id, session_id) references sessions(org_id, id),
  check (state in ('queued', 'sending', 'sent', 'skipped', 'failed')),
  check (target in ('thread', 'miaw', 'ticket'))
);
create index crm_messages_to_send on crm_messages (org_id, session_id, target, id) where state in ('queued', 'sending');
create index crm_messages_waiting on crm_messages (created_at) where state in ('queued', 'sending');

create table crm_rate_limits (
  org_id uuid not null,
  kind text not null,
  next_at timestamptz(3) not null,
  primary key (org_id, kind),
  foreign key (org_id) references orgs(id),
  check (kind in ('request', 'search'))
);

create table crm_tokens (
  org_id uuid not null,
  connection text not null,
  sealed text,
  expires_at timestamptz(3),
  primary key (org_id, connection),
  foreign key (org_id) references orgs(id)
);

create table miaw_conversations (
  org_id uuid not null,
  session_id uuid not null,
  conversation_id uuid not null,
  sealed_token text,
  token_expires_at timestamptz(3),
  opened_at timestamptz(3),
  read_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  continues uuid,
  ended_id uuid,
  ended_sealed_token text,
  ended_token_expires_at timestamptz,
  ended_read_until timestamptz,
  primary key (org_id, session_id),
  unique (org_id, conversation_id),
  foreign key (org_id, session_id) references sessions(org_id, id)
);
create index miaw_conversations_by_ended on miaw_conversations (org_id, ended_id) where ended_id is not null;
create index miaw_conversations_by_expiry on miaw_conversations (token_expires_at) where opened_at is not null;
