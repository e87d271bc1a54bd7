import { type Kysely, sql } from 'kysely';

/** Files that a provider withholds are tried for a day after their message was shown without them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table inbound_messages add column if not exists late_files jsonb`.execute(db);
  await sql`
    create index if not exists inbound_messages_with_missing_files on inbound_messages (org_id, id)
    where files is not null or late_files is not null
  `.execute(db);
  await sql`drop index inbound_messages_with_files`.execute(db);
}
