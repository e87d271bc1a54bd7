import { type Kysely, sql } from 'kysely';

/** Runs of workflows may be done by the process that has claimed them, without a workflow in Temporal. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table automation_runs add column is_inline boolean not null default false`.execute(db);
}
