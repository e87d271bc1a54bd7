import { type Kysely, sql } from 'kysely';

/**
 * `account_id` is what a provider itself has said of which account a connection's credentials are; null while it was not asked. It ends with the
 * settings that it was said of. Handoffs that wait are
 * found when a connection comes, and texts of tickets when they are redacted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table integrations add column account_id text;
    create index sessions_pending_handoff on sessions (org_id, id) where handoff->>'state' = 'pending';
    create index crm_events_texts on crm_events (org_id, object_id)
      where type = 'ticket.propertyChange' and payload->>'property_name' in ('subject', 'content');
  `.execute(db);
}
