import { type Kysely, sql } from 'kysely';

/** Imports are listed by creation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index contact_imports_by_creation on contact_imports (org_id, created_at, id)`.execute(db);
  await sql`create index imports_by_creation on imports (org_id, created_at, id)`.execute(db);
}
