import { type Kysely, sql } from 'kysely';

/** Finds the open conversations in Salesforce whose tokens are about to expire. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index miaw_conversations_by_expiry on miaw_conversations (token_expires_at) where opened_at is not null
  `.execute(db);
}
