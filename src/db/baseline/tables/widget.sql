create table widget_messages (
  org_id uuid not null,
  session_id uuid not null,
  uuid uuid not null,
  message_id uuid not null,
  primary key (org_id, session_id, uuid),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade
);

create table widget_visitors (
  org_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  is_verified boolean not null,
  avatar_url text,
  language text,
  chat_context text,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, contact_id, is_verified),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete cascade,
  foreign key (org_id) references orgs(id)
);
create index widget_visitors_unverified on widget_visitors (created_at) where not is_verified;

create table widget_sessions (
  org_id uuid not null,
  session_id uuid not null,
  visitor_id uuid,
  attributes jsonb not null default '{}'::jsonb,
  primary key (org_id, session_id),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  foreign key (org_id, visitor_id) references widget_visitors(org_id, id) on delete set null (visitor_id)
);
create index widget_sessions_by_visitor on widget_sessions (org_id, visitor_id) where visitor_id is not null;

create table widget_votes (
  org_id uuid not null,
  message_id uuid not null,
  contact_id uuid not null,
  is_up boolean not null,
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, message_id, contact_id),
  foreign key (org_id, contact_id) references contacts(org_id, id) on delete cascade,
  foreign key (org_id, message_id) references session_events(org_id, id) on delete cascade
);
create index widget_votes_by_contact on widget_votes (org_id, contact_id);
