import { type Kysely, sql } from 'kysely';

/** Finds the runs that ended long ago, to delete them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index automation_runs_ended on automation_runs (run_ended_at) where run_ended_at is not null
  `.execute(db);
}
