import { type Kysely, sql } from 'kysely';

/** A turn knows how often its session was redacted before it began: what it has read since may be gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ai_turns add column redactions integer not null default 0`.execute(db);
}
