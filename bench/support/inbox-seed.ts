import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { seedConversations } from './conversation-seed.ts';

/**
 * Fills an org with open sessions, ten messages each, of which a third wait for the team and a quarter have a target.
 * Drops the index of words, which no list reads.
 */
export async function seedInbox(db: Db, orgId: string, sessions: number): Promise<void> {
  await sql`drop index session_events_by_words`.execute(db);
  await seedConversations(db, orgId, sessions);
  await db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    await sql`
      update sessions set status = 'open', custom_status_id = null, last_message_seq = 10, last_contact_seq = 7, closed_at = null,
        waiting_since = case when waiting_on = 'human_agents' then last_message_at end,
        sla_metric = 'next_reply', sla_due_at = case when ticket_number % 4 = 0 then now() + (ticket_number - ${sessions} / 50) * interval '1 minute' end,
        sla_warning_at = case when ticket_number % 4 = 0 then now() + (ticket_number - ${sessions} / 40) * interval '1 minute' end
      where org_id = ${orgId}::uuid
    `.execute(one);
    await sql`vacuum analyze`.execute(one);
    await sql`reset all`.execute(one);
  });
}

/** Has a member read two ninths of the sessions to their end and one ninth to the middle. Some are marked as unread. */
export async function seedReads(db: Db, orgId: string, memberId: number): Promise<void> {
  await sql`
    insert into session_reads (org_id, session_id, user_id, read_seq, is_unread)
    select org_id, id, ${memberId}::bigint, case when ticket_number % 9 = 0 then 5 else 10 end, ticket_number % 99 = 0
    from sessions where org_id = ${orgId}::uuid and ticket_number % 3 = 0
  `.execute(db);
  await sql`vacuum analyze session_reads`.execute(db);
}
