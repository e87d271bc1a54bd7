import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Returns the resolved ones of these sessions with a ticket, their number of resolutions, and whether the ticket is to
 * follow the latest one.
 */
export async function listResolvedWithTicket(db: Db, orgId: string, sessionIds: string[]) {
  const { rows } = await sql<{
    session_id: string;
    ticket_id: string;
    resolutions: number;
    reflects_resolution: boolean;
  }>`
    select session.id as session_id, link.ticket_id, session.resolutions, session.reflects_resolution
    from crm_links as link join sessions as session on session.org_id = link.org_id and session.id = link.session_id
    where link.org_id = ${orgId} and link.session_id = any(${sessionIds}::uuid[]) and link.ticket_id is not null
      and session.status = 'closed_resolved'
  `.execute(db);
  return rows;
}

/** Returns the open ones of these sessions with a ticket. */
export async function listOpenWithTicket(db: Db, orgId: string, sessionIds: string[]) {
  const { rows } = await sql<{ session_id: string; ticket_id: string }>`
    select session.id as session_id, link.ticket_id
    from crm_links as link join sessions as session on session.org_id = link.org_id and session.id = link.session_id
    where link.org_id = ${orgId} and link.session_id = any(${sessionIds}::uuid[]) and link.ticket_id is not null
      and session.status = 'open'
  `.execute(db);
  return rows;
}
