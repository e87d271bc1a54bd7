import { type Kysely, sql } from 'kysely';

/**
 * A claim says which connection has locked its events. Only one whose connection has ended, on the same server, tells of
 * a process that ended: so far another relay took a batch that had just failed for that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table outbox_claims add column backend_pid integer not null default 0,
      add column server_started_at timestamptz not null default pg_postmaster_start_time();
  `.execute(db);
}
