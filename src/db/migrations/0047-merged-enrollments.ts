import { type Kysely, sql } from 'kysely';

/** Enrollments are found by the contact that theirs was merged into. Only writes wait meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index if not exists enrollments_merged on enrollments (org_id, merged_contact_id) where merged_contact_id is not null
  `.execute(db);
}
