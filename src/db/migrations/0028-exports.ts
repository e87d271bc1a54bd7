import { type Kysely, sql } from 'kysely';

/** Records go out as files, each written by a job. A file of no records is empty. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table exports (
      org_id uuid not null references orgs (id),
      id uuid not null,
      resource text not null check (resource in ('contacts', 'conversations', 'deliveries', 'knowledge')),
      format text not null check (format in ('ndjson', 'csv')),
      created_after timestamptz,
      created_before timestamptz,
      actor jsonb not null,
      state text not null default 'running' check (state in ('running', 'completed', 'failed', 'canceled', 'expired')),
      attempt integer not null default 0,
      restarts integer not null default 0,
      known_erasures bigint[] not null default '{}',
      total integer,
      written integer not null default 0,
      media_id uuid,
      size bigint,
      sha256 text,
      reason text,
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      expires_at timestamptz(3),
      primary key (org_id, id)
    )
  `.execute(db);
  await sql`create index exports_by_creation on exports (org_id, created_at, id)`.execute(db);
  await sql`create index exports_running on exports (org_id, id) where state = 'running'`.execute(db);
  await sql`create index exports_completed on exports (expires_at) where state = 'completed'`.execute(db);
  await sql`create index exports_ended on exports (ended_at) where ended_at is not null`.execute(db);
  // The constraint before was stricter: the table need not be read again.
  await sql`
    alter table media drop constraint media_size_check, add constraint media_size_check check (size >= 0) not valid
  `.execute(db);
}
