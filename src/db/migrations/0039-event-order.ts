import { type Kysely, sql } from 'kysely';

/** Finds the deferred events that hold back later ones of their subject. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index outbox_interrupted_events on outbox (org_id, subject_id, id) where kind = 'event' and interruptions > 0
  `.execute(db);
}
