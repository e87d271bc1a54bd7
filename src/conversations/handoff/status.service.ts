import type { Db, Trx } from '../../db/connect.ts';
import { updateSession } from '../queries.ts';
import type { TicketingSystem } from '../sessions/schema.ts';
import { getSession, lockSession } from '../sessions/service.ts';
import { digestSession, EXTRACTIVE } from '../summary/service.ts';
import type { Handoff } from '../table.ts';
import { listHandoffs } from './queries.ts';

export type { Handoff } from '../table.ts';

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

/** A session's present handoff. */
interface CurrentHandoff {
  /** Counts the handoffs of the session from 1. */
  n: number;
  state: Handoff['state'];
}

/** Returns the handed-off sessions among these, each with its handoff. */
export const currentHandoffsOf = async (
  db: Db,
  orgId: string,
  sessionIds: string[],
): Promise<ReadonlyMap<string, CurrentHandoff>> =>
  new Map((await listHandoffs(db, orgId, sessionIds)).map(({ id, ...handoff }) => [id, handoff]));

/** Returns whether a session still has this handoff. Without a number, whether it has one at all. */
export async function isHandedOff(
  db: Db,
  orgId: string,
  sessionId: string,
  n: number | null | undefined,
): Promise<boolean> {
  const current = (await currentHandoffsOf(db, orgId, [sessionId])).get(sessionId);
  return current !== undefined && current.n === (n ?? current.n);
}

/**
 * Returns whether the ticketing system has no part in a handoff: the org has none, or its agents have the session there
 * already.
 */
export const isWithoutParts = ({ state, parts = [] }: Handoff): boolean => state === 'done' && parts.length === 0;

/**
 * Locks a session until the transaction ends, and returns its handoff. Undefined if it has none, or another one than `n`.
 * Throws notFound.
 */
export async function lockHandoff(
  trx: Trx,
  orgId: string,
  sessionId: string,
  n?: number,
): Promise<Handoff | undefined> {
  const { handoff, handoffs } = await lockSession(trx, orgId, sessionId);
  return handoff === null || handoffs !== (n ?? handoffs) ? undefined : handoff;
}

/** Stores the state of the handoff of a locked session. */
export const updateHandoff = (trx: Trx, orgId: string, sessionId: string, handoff: Handoff): Promise<void> =>
  updateSession(trx, orgId, sessionId, { handoff: JSON.stringify(handoff) });

/** Stores the id of a session in another system. */
export const linkTicketingSystem = (
  trx: Trx,
  orgId: string,
  sessionId: string,
  ticketing: TicketingSystem,
): Promise<void> => updateSession(trx, orgId, sessionId, { ticketing_system: JSON.stringify(ticketing) });
