import { type Kysely, sql } from 'kysely';

/** Handoffs are reported by their time. A handoff has ended once its session was returned to the AI after it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index session_events_handoffs on session_events (org_id, created_at, id) include (session_id, seq)
      where type = 'handoff';
    create index session_events_returns on session_events (org_id, session_id, seq) where type = 'returned_to_ai';
  `.execute(db);
}
