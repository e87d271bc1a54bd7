import { type Kysely, sql } from 'kysely';

/** How often texts of a run were removed, so that a step under way meanwhile does not bring them back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table automation_runs add column redactions integer not null default 0`.execute(db);
}
