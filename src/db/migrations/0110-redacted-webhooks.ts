import { type Kysely, sql } from 'kysely';

/** When the data of a webhook was last redacted: answers to tries that had begun before may repeat the texts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhook_deliveries add column redacted_at timestamptz(3)`.execute(db);
}
