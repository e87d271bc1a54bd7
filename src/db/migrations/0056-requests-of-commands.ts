import { type Kysely, sql } from 'kysely';

/** What is written to the outbox has the id of the request that it follows from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table outbox add column request_id text`.execute(db);
}
