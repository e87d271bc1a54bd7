import { type Kysely, sql } from 'kysely';

/** Says who wrote a session's summary: the code, or a model. Null where people did. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sessions add column summary_by text`.execute(db);
}
