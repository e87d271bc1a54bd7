import { type Kysely, sql } from 'kysely';

/** A turn knows how often its session was redacted before it began: what it has read since may be gone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ai_turns add column redactions integer not null default 0;
    update ai_turns as turn set redactions = (
      select count(*) from redactions as removal
      where removal.org_id = turn.org_id and removal.session_id = turn.session_id and affected > 0
    ) where ended_at is null;
  `.execute(db);
}
