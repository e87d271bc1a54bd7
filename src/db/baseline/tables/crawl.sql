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
