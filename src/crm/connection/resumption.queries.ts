import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Threads of an org with messages that are still to be posted. */
export async function listThreadsWithUnsent(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ thread_id: string }>`
    select distinct link.thread_id from crm_messages as message
    join crm_links as link on link.org_id = message.org_id and link.session_id = message.session_id
    where message.org_id = ${orgId} and message.state in ('queued', 'sending') and link.thread_id is not null
    limit ${limit}
  `.execute(db);
  return rows.map(({ thread_id }) => thread_id);
}

/** Sessions of an org of which the ticketing system has nothing yet. */
export async function listPendingHandoffs(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from sessions where org_id = ${orgId} and handoff->>'state' = 'pending' order by id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Queues of an org in which events wait. */
export async function listQueuesWithEvents(db: Db, orgId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ queue: string }>`
    select distinct queue from crm_events where org_id = ${orgId} and state = 'queued' limit ${limit}
  `.execute(db);
  return rows.map(({ queue }) => queue);
}
