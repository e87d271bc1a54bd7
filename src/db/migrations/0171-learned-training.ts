import { type Kysely, sql } from 'kysely';

/** A training item says of which session it was learned: its drafts go with a redaction of the session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table training_items add column learned_from_session_id uuid`.execute(db);
  await sql`
    create index training_items_learned on training_items (org_id, learned_from_session_id)
      where learned_from_session_id is not null
  `.execute(db);
}
