import type { Db } from '../../db/connect.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
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
  const open = await listOpenWithTicket(trx, orgId, sessionIds);
  const commands = open.map(({ session_id: sessionId, ticket_id }) =>
    signalWithStart(REOPEN_TICKET_LATER, { orgId, sessionId }, WAKE, {
      subjectId: sessionId,
      summary: `Reopen ticket ${ticket_id}`,
    }),
  );
  await enqueue(trx, orgId, ...commands);
};

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
