import { type Kysely, sql } from 'kysely';

/** Why Temporal refused the Schedule of a workflow is shown at the workflow. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table automations add column schedule_error text`.execute(db);
}
