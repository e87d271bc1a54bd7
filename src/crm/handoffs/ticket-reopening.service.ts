import type { Db, Trx } from '../../db/connect.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { notConnected } from '../../providers/crm/errors.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { CrmClients } from '../connection/clients.ts';
import { REOPEN_TICKET_LATER, type SessionRef } from '../contract.ts';
import { listOpenWithTicket } from './ticket-closing.queries.ts';
import { insertDueStages, listDueStages, listDueStagesOf } from './ticket-stages.queries.ts';
import { whileDue } from './ticket-stages.service.ts';

/**
 * Schedules reopening the tickets of reopened sessions after a short delay, if integrations are to reflect the change.
 */
export const scheduleTicketReopenings: Reaction<'ticket-reopened'> = async (trx, orgId, events) =>
  scheduleReopeningsOf(
    trx,
    orgId,
    events.filter(({ payload }) => payload.reflects).map(({ subject_id }) => subject_id),
  );

/** Schedules reopening the tickets of those sessions that are open and have a ticket. */
export async function scheduleReopeningsOf(trx: Trx, orgId: string, sessionIds: string[]): Promise<void> {
  const open = (await listOpenWithTicket(trx, orgId, sessionIds)).map(({ session_id }) => session_id);
  await insertDueStages(trx, orgId, open, 'open');
  await enqueue(trx, orgId, ...open.map((sessionId) => wakeTicketReopening({ orgId, sessionId })));
}

/** Returns the command to reopen the ticket of a session, at once if its workflow waits for the CRM. */
export const wakeTicketReopening = ({ orgId, sessionId }: SessionRef) =>
  signalWithStart(REOPEN_TICKET_LATER, { orgId, sessionId }, WAKE, {
    subjectId: sessionId,
    summary: 'Reopen the ticket of a session',
  });

/** Reopens the tickets of an org at once that are still to be reopened, as their workflows wait for the CRM. */
export async function wakeTicketReopenings(trx: Trx, orgId: string, limit: number): Promise<void> {
  await enqueue(trx, orgId, ...(await listDueStagesOf(trx, orgId, 'open', limit)).map(wakeTicketReopening));
}

/** Returns the sessions of all orgs whose tickets are still to be reopened, behind a session. */
export const listDueReopenings = (db: Db, after: SessionRef | undefined, limit: number): Promise<SessionRef[]> =>
  listDueStages(db, 'open', after, limit);

/** Reopens the ticket of a session, unless the session was closed again since. Throws the CRM's error. */
export function reopenTicket(db: Db, crms: CrmClients, session: SessionRef): Promise<'open' | 'closed'> {
  const { orgId, sessionId } = session;
  return whileDue(db, session, 'open', async () => {
    const [open] = await listOpenWithTicket(db, orgId, [sessionId]);
    if (open === undefined) return { outcome: 'closed' };
    const hubspot = await crms.hubspot(orgId);
    if (hubspot === undefined) throw notConnected('HubSpot');
    await hubspot.client.reopenTicket(open.ticket_id);
    return { outcome: 'open' };
  });
}
