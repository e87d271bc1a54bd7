import { type Kysely, sql } from 'kysely';

/** Redactions say who asked for them, and are listed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table redactions add column actor jsonb`.execute(db);
  await sql`create index redactions_by_creation on redactions (org_id, created_at, id)`.execute(db);
}
