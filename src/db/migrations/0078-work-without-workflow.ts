import { type Kysely, sql } from 'kysely';

/** Indexes of what waits for a workflow of its own: few rows, which the comparison with Temporal goes through. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index deliveries_requested on deliveries (org_id, (coalesce(email_request_id, id)))
      where sequence_id is null and status in ('queued', 'sending');
    create index inbound_emails_unprocessed on inbound_emails (org_id, id) where processed_at is null;
    create index crm_handoff_parts_unfinished on crm_handoff_parts (org_id, session_id)
      where state in ('pending', 'running', 'parked');
  `.execute(db);
}
