import type { Trx } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { announce } from '../../outbox/events.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import type { LockedSession } from '../queries.ts';
import type { Handoff } from '../table.ts';

/**
 * Writes down that people have a session from now on, and tells of it. Why, whoever is told reads in the session. With `isExternal` they
 * have it in the org's ticketing system already; otherwise the handoff is pending until that has it, where the org has named one, connected or not.
 */
export async function startHandoff(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  reason: string | null,
  { isExternal = false, events = [] }: { isExternal?: boolean; events?: SessionEvent[] } = {},
): Promise<Handoff> {
  const isPending = !isExternal && (await hasHandoffTarget(trx, orgId));
  const at = new Date().toISOString();
  const handoff: Handoff = {
    summary: null,
    sentiment: null,
    reason,
    at,
    state: isPending ? 'pending' : 'done',
    parts: [],
  };
  const change = { handoff: JSON.stringify(handoff), ai_closure_type: 'handed_off' as const };
  await changeSession(trx, orgId, session, change, events);
  await announce(trx, orgId, 'pre-ticket-handoff', [{ subject_id: session.id, payload: { isExternal } }]);
  return handoff;
}

async function hasHandoffTarget(trx: Trx, orgId: string): Promise<boolean> {
  const { handoff_target } = await readSettings(trx, orgId);
  return handoff_target !== null && handoff_target !== 'none';
}
