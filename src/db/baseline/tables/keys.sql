create table org_api_keys (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  scopes text[],
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  primary key (org_id, id),
  unique (id),
  foreign key (org_id) references orgs(id)
);
create index org_api_keys_by_age on org_api_keys (org_id, created_at, id);

create table partner_api_keys (
  partner_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  primary key (partner_id, id),
  unique (id),
  foreign key (partner_id) references partners(id)
);
