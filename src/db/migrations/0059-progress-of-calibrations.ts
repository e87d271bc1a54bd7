import { type Kysely, sql } from 'kysely';

/** Calibrations show their progress, and the reason of another attempt. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ai_calibrations
      add column progress real check (progress between 0 and 1),
      add column reason text
  `.execute(db);
}
