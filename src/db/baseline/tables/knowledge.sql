create table crawl_hosts (
  host text not null,
  next_at timestamptz(3) not null,
  primary key (host)
);
create index crawl_hosts_by_age on crawl_hosts (next_at);

create table crawl_robots (
  origin text not null,
  content text not null,
  fetched_at timestamptz(3) not null,
  primary key (origin)
);
create index crawl_robots_by_age on crawl_robots (fetched_at);

create table datasources (
  org_id uuid not null,
  id uuid not null,
  url text not null,
  display_name text not null,
  status text not null default 'active',
  page_limit integer,
  exclude_paths text[] not null default '{}'::text[],
  include_paths text[] not null default '{}'::text[],
  crawl_interval_hours integer,
  includes_www boolean not null default false,
  settings_version integer not null default 1,
  last_crawl_started_at timestamptz(3),
  last_crawl_completed_at timestamptz(3),
  error_message text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  rendering text not null default 'auto',
  ignored_parameters text[] not null default '{}'::text[],
  primary key (org_id, id),
  foreign key (org_id) references orgs(id),
  check (rendering in ('never', 'auto')),
  check (status in ('active', 'paused'))
);
create index datasources_deleted on datasources (org_id) where deleted_at is not null;
create index datasources_in_order on datasources (org_id, created_at, id);

create table crawl_jobs (
  org_id uuid not null,
  id uuid not null,
  datasource_id uuid not null,
  kind text not null,
  status text not null default 'pending',
  started_at timestamptz(3),
  completed_at timestamptz(3),
  total_pages integer not null default 0,
  completed_pages integer not null default 0,
  new_pages integer not null default 0,
  updated_pages integer not null default 0,
  removed_pages integer not null default 0,
  unchanged_pages integer not null default 0,
  held_pages integer not null default 0,
  dropped_urls integer not null default 0,
  error_message text,
  created_at timestamptz(3) not null default now(),
  page_limit_reached boolean not null default false,
  sitemap_problems jsonb not null default '[]'::jsonb,
  primary key (org_id, id),
  foreign key (org_id, datasource_id) references datasources(org_id, id) on delete cascade,
  check (kind in ('full', 'pages')),
  check (status in ('pending', 'scraping', 'completed', 'failed', 'cancelled'))
);
create unique index crawl_jobs_active on crawl_jobs (org_id, datasource_id) where status in ('pending', 'scraping');
create index crawl_jobs_by_age on crawl_jobs (completed_at) where completed_at is not null;
create index crawl_jobs_in_order on crawl_jobs (org_id, datasource_id, created_at, id);

create table crawl_changes (
  org_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  page_id uuid not null,
  kind text not null,
  url text not null,
  title text,
  diff text,
  created_at timestamptz(3) not null default now(),
  primary key (org_id, id),
  unique (org_id, job_id, page_id, kind),
  foreign key (org_id, job_id) references crawl_jobs(org_id, id) on delete cascade,
  check (kind in ('new', 'updated', 'removed'))
);
create index crawl_changes_in_order on crawl_changes (org_id, job_id, created_at, id);

create table crawl_pages (
  org_id uuid not null,
  id uuid not null,
  datasource_id uuid not null,
  url_key text not null,
  path_key text not null,
  url text not null,
  choice text,
  status text not null default 'pending',
  reason text,
  detail text,
  title text,
  depth integer not null,
  found_on text,
  leads_to text,
  redirects integer not null default 0,
  is_queued boolean not null default false,
  job_id uuid,
  found_in uuid,
  lease integer,
  due_at timestamptz(3) not null default now(),
  tries integer not null default 0,
  is_forced boolean not null default false,
  is_stored boolean not null default false,
  removal text,
  gone_count integer not null default 0,
  unseen_count integer not null default 0,
  http_status integer,
  etag text,
  last_modified text,
  fetched_with text,
  raw_hash bytea,
  text_hash bytea,
  markdown text,
  language text,
  links text[] not null default '{}'::text[],
  last_crawled_at timestamptz(3),
  last_changed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  is_to_render boolean not null default false,
  similarity bytea,
  primary key (org_id, id),
  unique (org_id, datasource_id, url_key),
  foreign key (org_id, datasource_id) references datasources(org_id, id) on delete cascade,
  check (choice in ('excluded', 'included', 'deleted')),
  check (status in ('pending', 'synced', 'error', 'excluded', 'removed'))
);
create index crawl_pages_by_path on crawl_pages (org_id, datasource_id, path_key);
create index crawl_pages_in_order on crawl_pages (org_id, datasource_id, created_at, id);
create index crawl_pages_queued on crawl_pages (org_id, datasource_id, is_stored, depth, id) where is_queued;
create index crawl_pages_stored on crawl_pages (org_id, datasource_id) where is_stored;

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
create index training_items_of_directory on training_items (org_id, directory_id, created_at, id)
  where directory_id is not null;
