import { type Kysely, sql } from 'kysely';

/** A member has a reply and a note in a session at the same time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table drafts
      drop constraint drafts_pkey,
      add primary key (org_id, user_id, session_id, kind)
  `.execute(db);
}
