create table orgs (
  id uuid not null,
  partner_id uuid not null,
  external_id text,
  name text not null,
  website text,
  language text not null default 'en',
  ai_instructions text,
  widget_token text not null,
  settings jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  http_action_overrides text,
  primary key (id),
  constraint orgs_external_id_key unique (partner_id, external_id),
  unique (widget_token)
);
create index orgs_by_partner on orgs (partner_id, created_at, id);

create table integrations (
  org_id uuid not null,
  kind text not null,
  name text not null default 'Default',
  provider text not null,
  settings jsonb not null default '{}'::jsonb,
  secrets text,
  connected boolean,
  last_error text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  account_id text,
  last_success_at timestamptz(3),
  last_error_at timestamptz(3),
  failing_since timestamptz(3),
  has_standing_error boolean not null default false,
  errors_cut_at timestamptz(3),
  primary key (org_id, kind, name),
  foreign key (org_id) references orgs(id)
);
create index integrations_by_portal on integrations (((settings ->> 'portal_id'))) where kind = 'crm';
create index integrations_unconfirmed on integrations (org_id, kind) where kind = 'crm' and account_id is null
  and ((settings ->> 'portal_id') is not null) and (settings ? 'oauth');

create table roles (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  primary key (org_id, id),
  unique (org_id, name),
  foreign key (org_id) references orgs(id)
);

create table users (
  id bigint generated always as identity,
  email text not null,
  created_at timestamptz(3) not null default now(),
  primary key (id),
  unique (email)
);

create table members (
  org_id uuid not null,
  user_id bigint not null,
  name text not null,
  is_available boolean not null default true,
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  primary key (org_id, user_id),
  foreign key (org_id) references orgs(id),
  foreign key (user_id) references users(id)
);

create table member_roles (
  org_id uuid not null,
  user_id bigint not null,
  role_id uuid not null,
  primary key (org_id, user_id, role_id),
  foreign key (org_id, role_id) references roles(org_id, id),
  foreign key (org_id, user_id) references members(org_id, user_id) on delete cascade
);

create table written_bytes (
  writer text not null,
  day date not null,
  bytes bigint not null,
  primary key (writer, day)
);
create index written_bytes_days on written_bytes (day);
