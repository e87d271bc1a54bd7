import { type Kysely, sql } from 'kysely';

/**
 * An answer to an e-mail continues its chain of references, and goes to the address that its sender wants answers at. A
 * message that waits for its files keeps the name that its sender has given themselves.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table inbound_messages add column thread text[], add column reply_to text, add column sender_name text
  `.execute(db);
}
