import type { Db, Trx } from '../../db/connect.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { notConnected } from '../../providers/crm/errors.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { CrmClients } from '../connection/clients.ts';
import { REOPEN_TICKET_LATER, type SessionRef } from '../contract.ts';
import { listOpenWithTicket } from './ticket-closing.queries.ts';

/**
 * Schedules reopening the tickets of reopened sessions after a short delay, if integrations are to reflect the change.
 */
export const scheduleTicketReopenings: Reaction<'ticket-reopened'> = async (trx, orgId, events) => {
  const sessionIds = events.filter(({ payload }) => payload.reflects).map(({ subject_id }) => subject_id);
  await enqueue(trx, orgId, ...(await reopenCommandsOf(trx, orgId, sessionIds)));
};

/** Returns the commands to reopen the tickets of those sessions that are open and have a ticket. */
export async function reopenCommandsOf(trx: Trx, orgId: string, sessionIds: string[]): Promise<Command[]> {
  const open = await listOpenWithTicket(trx, orgId, sessionIds);
  return open.map(({ session_id: sessionId, ticket_id }) =>
    signalWithStart(REOPEN_TICKET_LATER, { orgId, sessionId }, WAKE, {
      subjectId: sessionId,
      summary: `Reopen ticket ${ticket_id}`,
    }),
  );
}

/** Reopens the ticket of a session, unless the session was closed again since. Throws the CRM's error. */
export async function reopenTicket(
  db: Db,
  crms: CrmClients,
  { orgId, sessionId }: SessionRef,
): Promise<'open' | 'closed'> {
  const [session] = await listOpenWithTicket(db, orgId, [sessionId]);
  if (session === undefined) return 'closed';
  const hubspot = await crms.hubspot(orgId);
  if (hubspot === undefined) throw notConnected('HubSpot');
  await hubspot.client.reopenTicket(session.ticket_id);
  return 'open';
}
