import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';

const selectLinks = (db: Db, orgId: string) =>
  db
    .selectFrom('crm_links')
    .select(['session_id', 'thread_id', 'contact_id', 'ticket_id', 'property_times', 'read_until'])
    .where('org_id', '=', orgId);

export const findLinkOfThread = (db: Db, orgId: string, threadId: string) =>
  selectLinks(db, orgId).where('thread_id', '=', threadId).executeTakeFirst();

export const findLinkOfTicket = (db: Db, orgId: string, ticketId: string) =>
  selectLinks(db, orgId).where('ticket_id', '=', ticketId).executeTakeFirst();

export const findLinkOfSession = (db: Db, orgId: string, sessionId: string) =>
  selectLinks(db, orgId).where('session_id', '=', sessionId).executeTakeFirst();

/** Locks a thread: one transaction at a time can find or open its session. */
export const lockThread = (trx: Trx, orgId: string, threadId: string): Promise<void> =>
  lockName(trx, `crm thread ${orgId} ${threadId}`);

/** Links a session to its CRM objects. Existing links stay. A ticket linked to another session moves to this one. */
export async function linkSession(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { threadId, contactId, ticketId }: { threadId?: string; contactId?: string; ticketId?: string },
): Promise<void> {
  if (ticketId !== undefined) await unlinkTicketFromOthers(trx, orgId, ticketId, sessionId);
  await sql`
    insert into crm_links as link (org_id, session_id, thread_id, contact_id, ticket_id)
    values (${orgId}, ${sessionId}, ${threadId ?? null}, ${contactId ?? null}, ${ticketId ?? null})
    on conflict (org_id, session_id) do update set thread_id = coalesce(link.thread_id, excluded.thread_id),
      contact_id = coalesce(link.contact_id, excluded.contact_id), ticket_id = coalesce(link.ticket_id, excluded.ticket_id)
  `.execute(trx);
}

/** Records the time of the latest message read from a thread. The time never moves back, nor ahead of our own clock. */
export async function updateReadUntil(trx: Trx, orgId: string, threadId: string, until: Date): Promise<void> {
  await trx
    .updateTable('crm_links')
    .set({ read_until: sql<Date>`greatest(read_until, least(${until}::timestamptz, now()))` })
    .where('org_id', '=', orgId)
    .where('thread_id', '=', threadId)
    .execute();
}

/** Unlinks a ticket from other sessions: another account of the same CRM may use the same ticket ids. */
async function unlinkTicketFromOthers(trx: Trx, orgId: string, ticketId: string, sessionId: string): Promise<void> {
  await trx
    .updateTable('crm_links')
    .set({ ticket_id: null })
    .where('org_id', '=', orgId)
    .where('ticket_id', '=', ticketId)
    .where('session_id', '!=', sessionId)
    .execute();
}

/** Records when a property of a ticket changed. Returns false if a later change was recorded already. */
export async function updatePropertyTime(
  trx: Trx,
  orgId: string,
  ticketId: string,
  { name, changedAt }: { name: string; changedAt: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update crm_links set property_times = property_times || jsonb_build_object(${name}::text, ${changedAt.toISOString()}::text)
    where org_id = ${orgId} and ticket_id = ${ticketId}
      and coalesce((property_times->>${name}::text)::timestamptz <= ${changedAt}::timestamptz, true)
    returning session_id
  `.execute(trx);
  return rows.length > 0;
}

/** Returns the ids of the sessions linked to any of these tickets. */
export async function listSessionsOfTickets(db: Db, orgId: string, ticketIds: string[]): Promise<string[]> {
  const row = await db
    .selectFrom('crm_links')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where('ticket_id', '=', sql<string>`any(${ticketIds})`)
    .orderBy('session_id')
    .execute();
  return row.map(({ session_id }) => session_id);
}
