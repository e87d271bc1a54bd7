import { type Kysely, sql } from 'kysely';

/** An answer can show what only a key with these scopes may see. Answers of the last 24 hours are shown to every key, as before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table idempotency_keys add column scopes text[] not null default '{}'`.execute(db);
}
