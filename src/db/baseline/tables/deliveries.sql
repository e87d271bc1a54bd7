-- Numbers single messages in the order of their requests.
create sequence delivery_requests;

create table email_requests (
  org_id uuid not null,
  id uuid not null,
  from_email text not null,
  due_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);

create table deliveries (
  org_id uuid not null,
  id uuid not null,
  channel text not null,
  sequence_id uuid,
  enrollment_id uuid,
  step_id uuid,
  email_request_id uuid,
  contact_id uuid,
  "to" text,
  status text not null,
  reason text,
  provider text,
  provider_id text,
  attempts integer not null default 0,
  lease uuid,
  not_before timestamptz(3),
  content jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  request_key text,
  sender text,
  gate text,
  began_at timestamptz(3),
  answers jsonb not null default '[]'::jsonb,
  lookups integer not null default 0,
  look_up_at timestamptz(3),
  may_have_gone boolean not null default false,
  contact_deleted boolean not null default false,
  request_seq bigint,
  depth integer not null default coalesce((nullif(current_setting('switchboard.depth', true), ''))::integer, 0),
  primary key (org_id, id),
  constraint deliveries_once_a_step unique (org_id, enrollment_id, step_id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete set null (contact_id),
  foreign key (org_id, email_request_id) references email_requests(org_id, id),
  foreign key (org_id, enrollment_id) references enrollments(org_id, id) on delete set null (enrollment_id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, sequence_id) references sequences(org_id, id),
  foreign key (org_id, step_id) references sequence_steps(org_id, id),
  check (channel in ('email', 'sms', 'whatsapp', 'voice')),
  check (status in ('held', 'queued', 'sending', 'accepted', 'sent', 'delivered', 'read', 'failed', 'bounced',
    'suppressed', 'skipped', 'unknown', 'canceled'))
);
create index deliveries_by_contact on deliveries (org_id, contact_id, sent_at) where contact_id is not null;
create index deliveries_by_creation on deliveries (org_id, created_at, id) include (status, channel, provider,
  sequence_id);
create index deliveries_by_email_request on deliveries (org_id, email_request_id, status)
  where email_request_id is not null;
create index deliveries_by_provider_id on deliveries (org_id, provider, provider_id) where provider_id is not null;
create unique index deliveries_by_request on deliveries (org_id, request_key);
create index deliveries_by_sequence on deliveries (org_id, sequence_id, step_id, status);
create index deliveries_by_time_sent on deliveries (org_id, sent_at) include (contact_id) where sent_at is not null;
create index deliveries_of_channel_by_creation on deliveries (org_id, channel, created_at, id);
create index deliveries_of_contact_by_day on deliveries (org_id, contact_id, began_at)
  where sequence_id is not null and began_at is not null;
create index deliveries_of_sequence_by_creation on deliveries (org_id, sequence_id, created_at, id)
  where sequence_id is not null;
create index deliveries_of_status_by_creation on deliveries (org_id, status, created_at, id);
create index deliveries_orphaned on deliveries (org_id) where status in ('queued', 'held')
  and sequence_id is not null and enrollment_id is null;
create index deliveries_requested on deliveries (org_id, coalesce(email_request_id, id)) where sequence_id is null
  and status in ('queued', 'sending');
create index deliveries_to_look_up on deliveries (org_id, look_up_at) where look_up_at is not null;
create index deliveries_under_way on deliveries (org_id, sequence_id) where lease is not null;
create index deliveries_waiting on deliveries (org_id, sequence_id, id) where status in ('queued', 'held');

create table delivery_callbacks (
  org_id uuid not null,
  provider text not null,
  provider_id text not null,
  status text not null,
  delivery_id uuid,
  reason text,
  received_at timestamptz(3) not null default now(),
  primary key (org_id, provider, provider_id, status),
  foreign key (org_id, delivery_id) references deliveries(org_id, id),
  foreign key (org_id) references orgs(id)
);
create index delivery_callbacks_by_age on delivery_callbacks (received_at);
create index delivery_callbacks_by_delivery on delivery_callbacks (org_id, delivery_id) where delivery_id is not null;

create table inbound_emails (
  org_id uuid not null,
  id uuid not null,
  kind text not null,
  delivery_id uuid not null,
  mail_from text not null,
  rcpt_to text not null,
  sha256 bytea not null,
  raw bytea,
  received_at timestamptz(3) not null default now(),
  processed_at timestamptz(3),
  result text,
  timeouts smallint not null default 0,
  primary key (org_id, id),
  unique (org_id, sha256),
  foreign key (org_id, delivery_id) references deliveries(org_id, id),
  foreign key (org_id) references orgs(id),
  check (kind in ('bounce', 'reply'))
);
create index inbound_emails_by_delivery on inbound_emails (org_id, delivery_id);
create index inbound_emails_unprocessed on inbound_emails (org_id, id) where processed_at is null;
create index inbound_emails_with_raw on inbound_emails (received_at) where raw is not null;

create table inbound_messages (
  org_id uuid not null,
  id uuid not null,
  channel text not null,
  provider text not null,
  provider_id text not null,
  "from" text not null,
  "to" text not null,
  body text not null,
  contact_id uuid,
  delivery_id uuid,
  is_reply boolean not null default true,
  received_at timestamptz(3) not null default now(),
  to_id text,
  subject text,
  files jsonb,
  thread text[],
  reply_to text,
  sender_name text,
  raw text,
  edited_at timestamptz(3),
  deleted_at timestamptz(3),
  primary key (org_id, id),
  unique (org_id, provider, provider_id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete set null (contact_id),
  foreign key (org_id, delivery_id) references deliveries(org_id, id),
  foreign key (org_id) references orgs(id),
  check (channel in ('email', 'sms', 'whatsapp', 'voice'))
);
create index inbound_messages_by_contact on inbound_messages (org_id, contact_id, received_at)
  where contact_id is not null;
create index inbound_messages_with_files on inbound_messages (org_id, id) where files is not null;

create table sandbox_outbox (
  org_id uuid not null,
  id uuid not null,
  channel text not null,
  "to" text not null,
  payload jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);
create index sandbox_outbox_by_age on sandbox_outbox (created_at);
create index sandbox_outbox_by_creation on sandbox_outbox (org_id, created_at, id);

create table sender_rates (
  org_id uuid not null,
  sender text not null,
  slot_at timestamptz(3) not null,
  used integer not null,
  primary key (org_id, sender),
  foreign key (org_id) references orgs(id)
);

create table sending_domains (
  org_id uuid not null,
  id uuid not null,
  domain text not null,
  selector text not null,
  public_key text not null,
  private_key text not null,
  status text not null default 'pending',
  dmarc_status text not null default 'pending',
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, domain),
  foreign key (org_id) references orgs(id),
  check (dmarc_status in ('pending', 'verified', 'failed')),
  check (status in ('pending', 'verified', 'failed'))
);

create table suppressions (
  org_id uuid not null,
  id uuid not null,
  channel text not null,
  address text not null,
  reason text not null,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, channel, address),
  foreign key (org_id) references orgs(id),
  check (channel in ('email', 'sms', 'whatsapp', 'voice'))
);
create index suppressions_by_creation on suppressions (org_id, created_at, id);
create index suppressions_of_channel_by_creation on suppressions (org_id, channel, created_at, id);
