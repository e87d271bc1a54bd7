import { type Kysely, sql } from 'kysely';

/** What needs a person is found without reading what does not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // First what needs no lock against readers.
  await sql`
    create index if not exists crm_handoff_parts_refused on crm_handoff_parts (org_id, session_id) where state in ('parked', 'failed')
  `.execute(db);
  await sql`alter table automations add column if not exists constraint_failed_at timestamptz(3)`.execute(db);
}
