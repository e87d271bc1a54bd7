import { type Kysely, sql } from 'kysely';

/**
 * A message that was not understood keeps its raw form. A message that waits for its files has when it was edited or
 * deleted meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table inbound_messages add column raw text, add column edited_at timestamptz(3), add column deleted_at timestamptz(3)
  `.execute(db);
}
