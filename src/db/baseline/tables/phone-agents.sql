create table phone_agents (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null,
  voice_id text,
  language text,
  first_message text not null,
  instructions text[],
  handoff_phone_number text,
  use_org_knowledgebase boolean not null,
  action_ids text[],
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check (type in ('inbound', 'outbound'))
);
