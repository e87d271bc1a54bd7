import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SessionRef, ThreadRef, TicketRef } from '../contract.ts';

/** Returns the threads of all orgs with messages still to be posted, behind a thread, in a fixed order. */
export async function listAllThreadsWithUnsent(
  db: Db,
  after: ThreadRef | undefined,
  limit: number,
): Promise<ThreadRef[]> {
  const isBehind =
    after === undefined
      ? sql`true`
      : sql`(link.org_id, link.thread_id) > (${after.orgId}::uuid, ${after.threadId}::text)`;
  const { rows } = await sql<ThreadRef>`
    select distinct link.org_id as "orgId", link.thread_id as "threadId" from crm_messages as message
    join crm_links as link on link.org_id = message.org_id and link.session_id = message.session_id
    where message.target = 'thread' and message.state in ('queued', 'sending') and link.thread_id is not null and ${isBehind}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the tickets of all orgs with notes still to be added, behind a ticket, in a fixed order. */
export async function listAllTicketsWithUnsent(
  db: Db,
  after: TicketRef | undefined,
  limit: number,
): Promise<TicketRef[]> {
  const isBehind =
    after === undefined
      ? sql`true`
      : sql`(link.org_id, link.ticket_id) > (${after.orgId}::uuid, ${after.ticketId}::text)`;
  const { rows } = await sql<TicketRef>`
    select distinct link.org_id as "orgId", link.ticket_id as "ticketId" from crm_messages as message
    join crm_links as link on link.org_id = message.org_id and link.session_id = message.session_id
    where message.target = 'ticket' and message.state in ('queued', 'sending') and link.ticket_id is not null and ${isBehind}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}

/**
 * Returns the sessions of all orgs with messages still to be sent to their open conversation in Salesforce, behind a
 * session, in a fixed order. Those of a conversation that is not open wait for the handoff that opens it.
 */
export async function listConversationsWithUnsent(
  db: Db,
  after: SessionRef | undefined,
  limit: number,
): Promise<SessionRef[]> {
  const isBehind =
    after === undefined
      ? sql`true`
      : sql`(message.org_id, message.session_id) > (${after.orgId}::uuid, ${after.sessionId}::uuid)`;
  const { rows } = await sql<SessionRef>`
    select distinct message.org_id as "orgId", message.session_id as "sessionId" from crm_messages as message
    join miaw_conversations as conversation on conversation.org_id = message.org_id
      and conversation.session_id = message.session_id and conversation.opened_at is not null
    where message.target = 'miaw' and message.state in ('queued', 'sending') and ${isBehind}
    order by 1, 2 limit ${limit}
  `.execute(db);
  return rows;
}
