import type { Db, Trx } from '../../db/connect.ts';
import { updateSession } from '../queries.ts';
import type { TicketingSystem } from '../sessions/schema.ts';
import { getSession, lockSession } from '../sessions/service.ts';
import { digestSession, EXTRACTIVE } from '../summary/service.ts';
import type { Handoff } from '../table.ts';
import { listHandoffNumbers } from './queries.ts';

/** Returns the details of a handed-off session for the agents of another system. The summary of a model is preferred. */
export async function getHandoffBriefing(db: Db, orgId: string, sessionId: string) {
  const session = await getSession(db, orgId, sessionId);
  const digest = await digestSession(db, orgId, sessionId);
  const { summary = null, summary_by = null } = session.handoff ?? {};
  const isByModel = summary !== null && summary_by !== null && summary_by !== EXTRACTIVE;
  return isByModel
    ? { session, ...digest, summary, summary_by }
    : { session, ...digest, summary_by: digest.summary === null ? null : EXTRACTIVE };
}

/** Returns the sessions that are handed off now among these, each with the number of its handoff. */
export const currentHandoffsOf = async (
  db: Db,
  orgId: string,
  sessionIds: string[],
): Promise<ReadonlyMap<string, number>> =>
  new Map((await listHandoffNumbers(db, orgId, sessionIds)).map(({ id, handoffs }) => [id, handoffs]));

/** Returns whether a session still has this handoff. Without a number, whether it has one at all. */
export async function isHandedOff(
  db: Db,
  orgId: string,
  sessionId: string,
  n: number | null | undefined,
): Promise<boolean> {
  const current = (await currentHandoffsOf(db, orgId, [sessionId])).get(sessionId);
  return current !== undefined && current === (n ?? current);
}

/**
 * Returns whether the ticketing system has no part in a handoff: the org has none, or its agents have the session there
 * already.
 */
export const isWithoutParts = ({ state, parts = [] }: Handoff): boolean => state === 'done' && parts.length === 0;

/**
 * Stores the progress of a session's handoff in another system. One without parts stays as it is: what is created there
 * belongs to something else. Throws notFound.
 */
export async function updateHandoffStatus(
  trx: Trx,
  orgId: string,
  sessionId: string,
  report: Partial<Pick<Handoff, 'summary' | 'summary_by' | 'state' | 'parts'>>,
): Promise<void> {
  const { handoff } = await lockSession(trx, orgId, sessionId);
  if (handoff === null || isWithoutParts(handoff)) return;
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
