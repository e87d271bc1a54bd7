import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

/** Returns the resolved ones of these sessions with a ticket, and their number of resolutions. */
export async function listResolvedWithTicket(db: Db, orgId: string, sessionIds: string[]) {
  const { rows } = await sql<{ session_id: string; ticket_id: string; resolutions: number }>`
    select session.id as session_id, link.ticket_id, session.resolutions
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

/** Sets the tickets of these sessions to be closed on creation, if they are still to be created. */
export async function setTicketToClose(trx: Trx, orgId: string, sessionIds: string[]): Promise<void> {
  await trx
    .updateTable('crm_handoff_parts')
    .set({ is_to_close: true })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('part', '=', 'ticket')
    .where('external_id', 'is', null)
    .execute();
}

/** Returns whether the ticket was set to be closed on creation. */
export async function isTicketToClose(trx: Trx, orgId: string, sessionId: string): Promise<boolean> {
  const part = await trx
    .selectFrom('crm_handoff_parts')
    .select('is_to_close')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('part', '=', 'ticket')
    .executeTakeFirst();
  return part?.is_to_close === true;
}
