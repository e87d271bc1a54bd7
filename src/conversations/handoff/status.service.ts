import type { Db, Trx } from '../../db/connect.ts';
import { updateSession } from '../queries.ts';
import type { TicketingSystem } from '../sessions/schema.ts';
import { getSession, lockSession } from '../sessions/service.ts';
import { digestSession } from '../summary/service.ts';
import type { Handoff } from '../table.ts';

/** Returns the details of a handed-off session for the agents of another system. */
export async function getHandoffBriefing(db: Db, orgId: string, sessionId: string) {
  const session = await getSession(db, orgId, sessionId);
  return { session, ...(await digestSession(db, orgId, sessionId)) };
}

/** Stores the progress of a session's handoff in another system. Throws notFound. */
export async function updateHandoffStatus(
  trx: Trx,
  orgId: string,
  sessionId: string,
  report: Partial<Pick<Handoff, 'summary' | 'sentiment' | 'state' | 'parts'>>,
): Promise<void> {
  const { handoff } = await lockSession(trx, orgId, sessionId);
  if (handoff === null) return;
  const { waits_for: _, ...current } = handoff; // it has begun
  await updateSession(trx, orgId, sessionId, { handoff: JSON.stringify({ ...current, ...report }) });
}

/** Stores the id of a session in another system. */
export const linkTicketingSystem = (
  trx: Trx,
  orgId: string,
  sessionId: string,
  ticketing: TicketingSystem,
): Promise<void> => updateSession(trx, orgId, sessionId, { ticketing_system: JSON.stringify(ticketing) });
