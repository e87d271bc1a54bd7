import { type Kysely, sql } from 'kysely';

/** A message whose files are still at the provider is found until they are fetched. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table inbound_messages add column files jsonb;
    create index inbound_messages_with_files on inbound_messages (org_id, id) where files is not null;
  `.execute(db);
}
