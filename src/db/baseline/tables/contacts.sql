create table blocked_contacts (
  org_id uuid not null,
  id uuid not null,
  email text not null,
  reason text,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, email),
  foreign key (org_id) references orgs(id)
);
create index blocked_contacts_by_creation on blocked_contacts (org_id, created_at, id);

create table blocked_domains (
  org_id uuid not null,
  id uuid not null,
  domain text not null,
  reason text,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, domain),
  foreign key (org_id) references orgs(id)
);
create index blocked_domains_by_creation on blocked_domains (org_id, created_at, id);

create table contacts (
  org_id uuid not null,
  id uuid not null,
  email text,
  phone_number text,
  name text,
  custom_data jsonb not null default '{}'::jsonb,
  http_action_overrides jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  constraint contacts_email_key unique (org_id, email),
  constraint contacts_phone_number_key unique (org_id, phone_number),
  foreign key (org_id) references orgs(id)
);
create index contacts_by_creation on contacts (org_id, created_at, id);
create index contacts_by_custom_data on contacts using gin (custom_data jsonb_path_ops) with (fastupdate=off);
create index contacts_by_email_domain on contacts (org_id, split_part(email, '@', 2), id);
create index contacts_by_name on contacts (org_id, name, id);
create index contacts_by_text on contacts using gin (org_id, search_vector(null::text, contact_text(name, email,
  phone_number)), contact_text(name, email, phone_number) gin_trgm_ops) with (gin_pending_list_limit='512');
create index contacts_by_update on contacts (org_id, updated_at, id);

create table segments (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  filter jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);
create index segments_by_creation on segments (org_id, created_at, id);

create table whatsapp_users (
  org_id uuid not null,
  user_id text not null,
  contact_id uuid not null,
  seen_at timestamptz(3) not null default now(),
  primary key (org_id, user_id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete cascade
);
create index whatsapp_users_by_contact on whatsapp_users (org_id, contact_id, seen_at);
