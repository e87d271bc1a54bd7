import type { Db, Trx } from '../../db/connect.ts';
import { type Command, enqueue, start } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { notConnected } from '../../providers/crm/errors.ts';
import type { CrmClients } from '../connection/clients.ts';
import { CLOSE_TICKET_LATER, type SessionRun } from '../contract.ts';
import { listResolvedWithTicket } from './ticket-closing.queries.ts';

/**
 * Schedules closing the tickets of resolved sessions after a short delay, if integrations are to reflect the change.
 */
export const scheduleTicketCloses: Reaction<'ticket-resolved'> = async (trx, orgId, events) => {
  const sessionIds = events.filter(({ payload }) => payload.reflects).map(({ subject_id }) => subject_id);
  await enqueue(trx, orgId, ...(await closeCommandsOf(trx, orgId, sessionIds)));
};

/** Schedules closing a new ticket if its session was resolved before the ticket existed. */
export async function scheduleCloseIfResolved(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await enqueue(trx, orgId, ...(await closeCommandsOf(trx, orgId, [sessionId])));
}

/**
 * Returns the commands to close the tickets of those sessions that are resolved and have a ticket. The latest resolution
 * decides, also where the event is of an earlier one.
 */
async function closeCommandsOf(trx: Trx, orgId: string, sessionIds: string[]): Promise<Command[]> {
  const resolved = await listResolvedWithTicket(trx, orgId, sessionIds);
  return resolved
    .filter(({ reflects_resolution }) => reflects_resolution)
    .map(({ session_id: sessionId, resolutions: n, ticket_id }) => {
      const subject = { subjectId: sessionId, summary: `Close ticket ${ticket_id}` };
      return start(CLOSE_TICKET_LATER, { orgId, sessionId, n }, subject);
    });
}

/** Closes the ticket of a session, unless the session was reopened or resolved again since. Throws the CRM's error. */
export async function closeTicket(
  db: Db,
  crms: CrmClients,
  { orgId, sessionId, n }: SessionRun,
): Promise<'closed' | 'reopened'> {
  const [session] = await listResolvedWithTicket(db, orgId, [sessionId]);
  if (session === undefined || session.resolutions !== n) return 'reopened';
  const hubspot = await crms.hubspot(orgId);
  if (hubspot === undefined) throw notConnected('HubSpot');
  await hubspot.client.closeTicket(session.ticket_id);
  return 'closed';
}
