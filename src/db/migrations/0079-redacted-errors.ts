import { type Kysely, sql } from 'kysely';

/** When the last errors of a connection were cut to the status, because they may quote a redacted text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table integrations add column errors_cut_at timestamptz(3)`.execute(db);
}
