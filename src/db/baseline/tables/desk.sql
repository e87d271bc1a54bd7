create table office_hours (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  iana_timezone text not null,
  shifts jsonb not null,
  holidays jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);
create index office_hours_by_creation on office_hours (org_id, created_at, id);

create table tag_categories (
  org_id uuid not null,
  id uuid not null,
  name_key text not null,
  name text not null,
  description text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, name_key),
  foreign key (org_id) references orgs(id)
);

create table tag_settings (
  org_id uuid not null,
  auto_tagging_enabled boolean not null,
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);

create table tags (
  org_id uuid not null,
  tag_key text not null,
  tag_name text not null,
  exclude_from_auto_tagging boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  description text,
  category_id uuid,
  primary key (org_id, tag_key),
  foreign key (org_id, category_id) references tag_categories(org_id, id) on delete set null (category_id),
  foreign key (org_id) references orgs(id)
);
create index tags_by_category on tags (org_id, category_id, tag_key) where category_id is not null;

create table teams (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  is_support_enabled boolean not null,
  support_office_hours_id uuid,
  support_assignment_strategy text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, support_office_hours_id) references office_hours(org_id, id),
  check (support_assignment_strategy in ('least-busy', 'round-robin', 'unassigned'))
);
create index teams_by_creation on teams (org_id, created_at, id);
create index teams_by_office_hours on teams (org_id, support_office_hours_id) where support_office_hours_id is not null;

create table team_members (
  org_id uuid not null,
  team_id uuid not null,
  user_id bigint not null,
  turn bigint not null default 0,
  primary key (org_id, team_id, user_id),
  foreign key (org_id, team_id) references teams(org_id, id) on delete cascade,
  foreign key (org_id, user_id) references members(org_id, user_id) on delete cascade
);
create index team_members_by_user on team_members (org_id, user_id);
