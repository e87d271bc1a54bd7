import { type Kysely, sql } from 'kysely';

/** What an answer to an inbound message needs: the provider's id of the number that it came to, or its subject. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table inbound_messages add column to_id text, add column subject text;
  `.execute(db);
}
