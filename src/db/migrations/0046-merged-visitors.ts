import { type Kysely, sql } from 'kysely';

/** Visitors of the widget are found by the contact that theirs was merged into. Only writes wait meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index if not exists widget_visitors_merged on widget_visitors (org_id, merged_contact_id) where merged_contact_id is not null
  `.execute(db);
}
