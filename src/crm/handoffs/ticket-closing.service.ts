import type { Db, Trx } from '../../db/connect.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { notConnected } from '../../providers/crm/errors.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { CrmClients } from '../connection/clients.ts';
import { CLOSE_TICKET_LATER, type SessionRef, type SessionRun } from '../contract.ts';
import { listResolvedWithTicket } from './ticket-closing.queries.ts';
import { insertDueStages, listDueStages, listDueStagesOf } from './ticket-stages.queries.ts';
import { whileDue } from './ticket-stages.service.ts';

/**
 * Schedules closing the tickets of resolved sessions after a short delay, if integrations are to reflect the change.
 */
export const scheduleTicketCloses: Reaction<'ticket-resolved'> = async (trx, orgId, events) =>
  scheduleClosesOf(
    trx,
    orgId,
    events.filter(({ payload }) => payload.reflects).map(({ subject_id }) => subject_id),
  );

/** Schedules closing a new ticket if its session was resolved before the ticket existed. */
export const scheduleCloseIfResolved = (trx: Trx, orgId: string, sessionId: string): Promise<void> =>
  scheduleClosesOf(trx, orgId, [sessionId]);

/**
 * Schedules closing the tickets of those sessions that are resolved and have a ticket. The latest resolution decides, also
 * where the event is of an earlier one.
 */
async function scheduleClosesOf(trx: Trx, orgId: string, sessionIds: string[]): Promise<void> {
  const resolved = (await listResolvedWithTicket(trx, orgId, sessionIds)).filter((one) => one.reflects_resolution);
  await insertDueStages(
    trx,
    orgId,
    resolved.map(({ session_id }) => session_id),
    'closed',
  );
  const runs = resolved.map(({ session_id: sessionId, resolutions: n }) => ({ orgId, sessionId, n }));
  await enqueue(trx, orgId, ...runs.map(wakeTicketClose));
}

/** Returns the command to close the ticket of a session, at once if its workflow waits for the CRM. */
export const wakeTicketClose = (run: SessionRun) =>
  signalWithStart(CLOSE_TICKET_LATER, run, WAKE, {
    subjectId: run.sessionId,
    summary: 'Close the ticket of a session',
  });

/** Closes the tickets of an org at once that are still to be closed, as their workflows wait for the CRM. */
export async function wakeTicketCloses(trx: Trx, orgId: string, limit: number): Promise<void> {
  await enqueue(trx, orgId, ...(await listDueStagesOf(trx, orgId, 'closed', limit)).map(wakeTicketClose));
}

/** Returns the sessions of all orgs whose tickets are still to be closed, behind a session. */
export const listDueCloses = (db: Db, after: SessionRef | undefined, limit: number): Promise<SessionRun[]> =>
  listDueStages(db, 'closed', after, limit);

/** Closes the ticket of a session, unless the session was reopened or resolved again since. Throws the CRM's error. */
export function closeTicket(db: Db, crms: CrmClients, run: SessionRun): Promise<'closed' | 'reopened'> {
  const { orgId, sessionId, n } = run;
  return whileDue(db, run, 'closed', async () => {
    const [session] = await listResolvedWithTicket(db, orgId, [sessionId]);
    if (session === undefined || session.resolutions !== n)
      return { outcome: 'reopened', isLeftToLater: session?.reflects_resolution === true };
    const hubspot = await crms.hubspot(orgId);
    if (hubspot === undefined) throw notConnected('HubSpot');
    await hubspot.client.closeTicket(session.ticket_id);
    return { outcome: 'closed' };
  });
}
