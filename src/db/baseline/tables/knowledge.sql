create table help_center_categories (
  org_id uuid not null,
  id uuid not null,
  parent_id uuid,
  path text not null,
  slug text not null,
  name text not null,
  description text,
  icon text,
  position integer not null,
  hash bytea not null,
  primary key (org_id, id),
  unique (org_id, path),
  foreign key (org_id) references orgs(id),
  foreign key (org_id, parent_id) references help_center_categories(org_id, id)
);
create index help_center_categories_of_parent on help_center_categories (org_id, parent_id);

create table help_center_articles (
  org_id uuid not null,
  id uuid not null,
  category_id uuid not null,
  path text not null,
  slug text not null,
  title text not null,
  content_markdown text,
  meta_title text,
  meta_description text,
  position integer not null,
  hash bytea not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, path),
  foreign key (org_id, category_id) references help_center_categories(org_id, id),
  foreign key (org_id) references orgs(id)
);
create index help_center_articles_by_creation on help_center_articles (org_id, created_at, id);
create index help_center_articles_of_category on help_center_articles (org_id, category_id);

create table help_center_operations (
  org_id uuid not null,
  id uuid not null,
  path text not null,
  hash bytea not null,
  primary key (org_id, id),
  unique (org_id, path),
  foreign key (org_id) references orgs(id)
);

create table help_centers (
  org_id uuid not null,
  openapi_spec text,
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);

-- Its texts are not compressed: that would take longer than to write them.
create table knowledge_chunks (
  org_id uuid not null,
  id bigint generated always as identity,
  item_id uuid not null,
  position integer not null,
  start_offset integer not null,
  end_offset integer not null,
  hash bytea not null,
  path text[] not null,
  content text not null,
  length integer not null,
  lexemes text[] not null,
  segment bigint not null,
  primary key (org_id, id)
) with (toast_tuple_target = 8160);

create table knowledge_embeddings (
  org_id uuid not null,
  chunk_id bigint not null,
  model text not null,
  vector bytea not null,
  xid xid8 not null default position_of_xid(pg_current_xact_id()),
  refused_at timestamptz,
  refusal text,
  primary key (org_id, chunk_id),
  foreign key (org_id, chunk_id) references knowledge_chunks(org_id, id) on delete cascade,
  check ((refused_at is null) = (refusal is null))
);
alter table knowledge_embeddings alter column vector set storage external;
create index knowledge_embeddings_by_change on knowledge_embeddings (org_id, model, xid);
create index knowledge_embeddings_refused on knowledge_embeddings (refused_at, org_id) where refused_at is not null;

create table knowledge_items (
  org_id uuid not null,
  id uuid not null,
  source_type text not null,
  source text not null,
  title text not null,
  url text,
  visibility text not null,
  language text,
  channels text[] not null,
  segments text[] not null,
  chunks integer not null default 0,
  words integer not null default 0,
  chunk_ids bigint[] not null default '{}'::bigint[],
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check (source_type in ('custom_training', 'help_center', 'website', 'integration')),
  check (visibility in ('internal', 'public'))
);
create index knowledge_items_by_language on knowledge_items (org_id, language) include (chunks, words);

-- Not compressed either: a segment of 900 chunks just fits.
create table knowledge_postings (
  org_id uuid not null,
  lexeme text collate "C" not null,
  segment bigint not null,
  hits bigint[] not null,
  primary key (org_id, segment, lexeme)
) with (toast_tuple_target = 8160);
create index knowledge_postings_by_lexeme on knowledge_postings (org_id, lexeme);

create table knowledge_vocabularies (
  org_id uuid not null,
  generation integer not null default 0,
  checked_to text collate "C" not null default '',
  checked_at timestamptz(3) not null default now(),
  primary key (org_id),
  foreign key (org_id) references orgs(id)
);

create table knowledge_words (
  org_id uuid not null,
  word text collate "C" not null
);
create index knowledge_words_by_spelling on knowledge_words using gin (org_id,
  word gin_trgm_ops) with (gin_pending_list_limit='256');
create index knowledge_words_by_word on knowledge_words (org_id, word);

create table training_directories (
  org_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  foreign key (org_id) references orgs(id)
);
create index training_directories_by_creation on training_directories (org_id, created_at, id);

create table training_items (
  org_id uuid not null,
  id uuid not null,
  title text not null,
  content text not null,
  type text not null,
  is_draft boolean not null,
  directory_id uuid,
  restricted_to_channels text[] not null,
  restricted_to_segments text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  visibility text not null default 'internal',
  version integer not null default 0,
  published_at timestamptz(3),
  learned_from_session_id uuid,
  primary key (org_id, id),
  foreign key (org_id, directory_id) references training_directories(org_id, id) on delete set null (directory_id),
  foreign key (org_id) references orgs(id),
  check (visibility = 'internal' or type <> 'BEHAVIORAL'),
  check (type in ('BEHAVIORAL', 'SCENARIO_SPECIFIC')),
  check (visibility in ('internal', 'public'))
);
create index training_items_always_active on training_items (org_id, created_at, id) where type = 'BEHAVIORAL'
  and (not is_draft);
create index training_items_by_creation on training_items (org_id, created_at, id);
create index training_items_learned on training_items (org_id, learned_from_session_id)
  where learned_from_session_id is not null;
create index training_items_of_directory on training_items (org_id, directory_id, created_at, id)
  where directory_id is not null;

create table training_versions (
  org_id uuid not null,
  training_id uuid not null,
  id uuid not null,
  version integer not null,
  title text not null,
  content text not null,
  published_key_id uuid,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, training_id, version),
  foreign key (org_id, training_id) references training_items(org_id, id) on delete cascade
);
