create table dashboard_sessions (
  token_hash bytea not null,
  org_id uuid not null,
  user_id bigint not null,
  expires_at timestamptz(3) not null,
  primary key (token_hash),
  foreign key (org_id, user_id) references members(org_id, user_id) on delete cascade
);
create index dashboard_sessions_by_expiry on dashboard_sessions (expires_at);
create index dashboard_sessions_by_member on dashboard_sessions (org_id, user_id);

create table login_links (
  token_hash bytea not null,
  org_id uuid not null,
  user_id bigint not null,
  expires_at timestamptz(3) not null,
  primary key (token_hash),
  foreign key (org_id, user_id) references members(org_id, user_id) on delete cascade
);
create index login_links_by_expiry on login_links (expires_at);
create index login_links_by_member on login_links (org_id, user_id);

create table partners (
  id uuid not null,
  name text not null,
  is_active boolean not null default true,
  allowed_ips text[] not null default '{}'::text[],
  ai_instructions text,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
