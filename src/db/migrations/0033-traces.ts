import { type Kysely, sql } from 'kysely';

/** What is written to the outbox and queued as a run has the trace of its cause, where traces are recorded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Both at once would rewrite the tables.
  for (const table of [sql`outbox`, sql`automation_runs`]) {
    await sql`alter table ${table} add column trace text`.execute(db);
    await sql`
      alter table ${table} alter column trace set default nullif(current_setting('switchboard.trace', true), '')
    `.execute(db);
  }
  // Since 0029, deliveries_of_sequence_by_time has its place. Last, as a drop keeps readers out.
  await sql`drop index if exists deliveries_of_sequence_by_creation`.execute(db);
}
