import { type Kysely, sql } from 'kysely';

/**
 * The conversation in Salesforce that continues an ended one is stored before it is opened, so that a repeated attempt opens
 * the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table miaw_conversations add column continues uuid`.execute(db);
}
