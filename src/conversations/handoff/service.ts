import type { Trx } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { announce } from '../../outbox/events.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import type { LockedSession } from '../queries.ts';
import type { Handoff } from '../table.ts';

/**
 * Records the handoff of a session to agents and announces it. The reason is not part of the event: consumers read it
 * from the session. With `isExternal` the agents already have the session in the org's ticketing system. Otherwise the
 * handoff is pending until the ticketing system has it, if the org has configured one, connected or not.
 */
export async function startHandoff(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  { reason, isExternal = false, events = [] }: { reason: string | null; isExternal?: boolean; events?: SessionEvent[] },
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
  await changeSession(trx, orgId, session, { ...change, events });
  await announce(trx, orgId, 'pre-ticket-handoff', [{ subject_id: session.id, payload: { isExternal } }]);
  return handoff;
}

async function hasHandoffTarget(trx: Trx, orgId: string): Promise<boolean> {
  const { handoff_target } = await readSettings(trx, orgId);
  return handoff_target !== null && handoff_target !== 'none';
}
