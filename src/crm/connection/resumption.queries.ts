import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SessionRun } from '../contract.ts';

/** Returns the threads of an org with messages still to be posted. */
export async function listThreadsWithUnsent(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ thread_id: string }>`
    select distinct link.thread_id from crm_messages as message
    join crm_links as link on link.org_id = message.org_id and link.session_id = message.session_id
    where message.org_id = ${orgId} and message.target = 'thread' and message.state in ('queued', 'sending')
      and link.thread_id is not null
    limit ${limit}
  `.execute(db);
  return rows.map(({ thread_id }) => thread_id);
}

/** Returns the tickets of an org with notes still to be added. */
export async function listTicketsWithUnsent(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ ticket_id: string }>`
    select distinct link.ticket_id from crm_messages as message
    join crm_links as link on link.org_id = message.org_id and link.session_id = message.session_id
    where message.org_id = ${orgId} and message.target = 'ticket' and message.state in ('queued', 'sending')
      and link.ticket_id is not null
    limit ${limit}
  `.execute(db);
  return rows.map(({ ticket_id }) => ticket_id);
}

/**
 * Returns the handoffs of an org not yet started in the ticketing system, except those held by one of the conditions on
 * `session`.
 */
export async function listPendingHandoffs(
  db: Db,
  orgId: string,
  limit: number,
  holds: RawBuilder<SqlBool>[],
): Promise<SessionRun[]> {
  const { rows } = await sql<SessionRun>`
    select org_id as "orgId", id as "sessionId", handoffs as n from sessions as session
    where org_id = ${orgId} and handoff->>'state' = 'pending' and not (${sql.join(holds, sql` or `)})
    order by id limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the queues of an org with queued events. */
export async function listQueuesWithEvents(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ queue: string }>`
    select distinct queue from crm_events where org_id = ${orgId} and state = 'queued' limit ${limit}
  `.execute(db);
  return rows.map(({ queue }) => queue);
}
