import { type Kysely, sql } from 'kysely';

/** Texts of a session in a stored answer are apart from the rest of it, so that a redaction can remove them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table idempotency_keys
      add column session_id uuid,
      add column full_answer text;
    create index idempotency_keys_of_sessions on idempotency_keys (principal_id, session_id) where session_id is not null;
  `.execute(db);
}
