import { type Kysely, sql } from 'kysely';

/** The operator's keys and sessions, which no org has, and indexes for what the operator asks of all orgs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table operator_keys (
      id uuid primary key,
      name text not null,
      secret_hash bytea not null,
      created_at timestamptz(3) not null default now(),
      revoked_at timestamptz(3)
    )
  `.execute(db);
  await sql`create table operator_links (token_hash bytea primary key, name text not null, expires_at timestamptz(3) not null)`.execute(
    db,
  );
  await sql`
    create table operator_sessions (
      token_hash bytea primary key,
      id uuid not null unique,
      name text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null
    )
  `.execute(db);
  await sql`
    create index if not exists webhook_endpoints_disabled on webhook_endpoints (disabled_at)
      where disabled_because is not null and deleted_at is null
  `.execute(db);
  await sql`
    create index if not exists integrations_failing on integrations (failing_since) where failing_since is not null
  `.execute(db);
  await sql`
    create index if not exists sequences_paused_by_problem on sequences (paused_at)
      where status = 'paused' and paused_reason is not null and deleted_at is null
  `.execute(db);
  await sql`
    create index if not exists automations_with_constraint_error on automations (updated_at)
      where last_constraint_error is not null and deleted_at is null
  `.execute(db);
  await sql`
    create index if not exists sending_domains_failed on sending_domains (checked_at) where status = 'failed'
  `.execute(db);
  await sql`create index if not exists crawl_jobs_holding on crawl_jobs (completed_at) where held_pages > 0`.execute(
    db,
  );
  // The busiest table comes last: its lock is held until the commit.
  await sql`create index if not exists outbox_failing on outbox (id) where attempts > 0`.execute(db);
  await sql`create index if not exists outbox_parked on outbox (id) where available_at = 'infinity'`.execute(db);
}
