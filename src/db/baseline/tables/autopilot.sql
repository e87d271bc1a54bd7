create table autopilot (
  org_id uuid not null,
  channel text not null,
  autopilot_enabled boolean not null,
  ai_agent_version text not null,
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, channel),
  foreign key (org_id) references orgs(id)
);
