import { type Kysely, sql } from 'kysely';

/** How far the words of an org are compared with its texts, for the deletion of those that no text has any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table knowledge_vocabularies (
      org_id uuid primary key references orgs (id),
      generation integer not null default 0,
      checked_to text not null default '' collate "C",
      checked_at timestamptz(3) not null default now()
    )
  `.execute(db);
}
