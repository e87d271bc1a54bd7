create table media (
  org_id uuid not null,
  id uuid not null,
  key text not null,
  file_name text not null,
  mime_type text not null,
  size integer not null,
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check (size > 0)
);
create unique index media_by_key on media (key);
create index media_to_delete on media (deleted_at) where deleted_at is not null;
