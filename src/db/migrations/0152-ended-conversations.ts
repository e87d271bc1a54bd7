import { type Kysely, sql } from 'kysely';

/** A conversation that ended in Salesforce can be read until its end is, also after another one has replaced it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table miaw_conversations
      add column ended_id uuid,
      add column ended_sealed_token text,
      add column ended_token_expires_at timestamptz,
      add column ended_read_until timestamptz
  `.execute(db);
  await sql`
    create index miaw_conversations_by_ended on miaw_conversations (org_id, ended_id) where ended_id is not null
  `.execute(db);
}
