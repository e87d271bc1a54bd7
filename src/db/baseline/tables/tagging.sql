create table ai_tag_models (
  org_id uuid not null,
  sessions integer,
  tags jsonb,
  model bytea,
  requested_at timestamptz(3) not null default now(),
  learnt_at timestamptz(3),
  primary key (org_id),
  foreign key (org_id) references orgs(id),
  check ((learnt_at is null) = (model is null)),
  constraint ai_tag_models_check1 check ((learnt_at is null) = (tags is null)),
  constraint ai_tag_models_check2 check ((learnt_at is null) = (sessions is null))
);

create table ai_tag_suggestions (
  org_id uuid not null,
  session_id uuid not null,
  tag_key text not null,
  score float8,
  created_at timestamptz(3) not null default now(),
  model text,
  primary key (org_id, session_id, tag_key),
  foreign key (org_id, session_id) references sessions(org_id, id) on delete cascade,
  foreign key (org_id, tag_key) references tags(org_id, tag_key) on delete cascade,
  check ((score is null) = (model is not null))
);
create index ai_tag_suggestions_by_tag on ai_tag_suggestions (org_id, tag_key);
