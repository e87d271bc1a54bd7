import type { Trx } from '../../db/connect.ts';
import { findHandoffTarget } from '../../orgs/settings/handoff-target.service.ts';
import { announceWithState } from '../announcements.service.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import type { LockedSession } from '../queries.ts';
import { digestSession, EXTRACTIVE } from '../summary/service.ts';
import type { Handoff } from '../table.ts';

/**
 * Records the handoff of a session to agents and announces it. The reason is not part of the event: consumers read it
 * from the session. With `isExternal` the agents already have the session in the org's ticketing system. Otherwise the
 * handoff is pending until the ticketing system has it, if the org has configured one, connected or not. It names the
 * awaited condition, or the reason for doing nothing.
 */
export async function startHandoff(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  { reason, isExternal = false, events = [] }: { reason: string | null; isExternal?: boolean; events?: SessionEvent[] },
): Promise<Handoff> {
  const { target, ...outlook } = await findHandoffTarget(trx, orgId);
  const { summary } = await digestSession(trx, orgId, session.id);
  const at = new Date().toISOString();
  const handoff: Handoff = {
    summary,
    summary_by: summary === null ? null : EXTRACTIVE,
    sentiment: null,
    reason,
    at,
    state: target === undefined || isExternal ? 'done' : 'pending',
    parts: [],
    ...(!isExternal && outlook),
  };
  const change = {
    handoff: JSON.stringify(handoff),
    ai_closure_type: 'handed_off' as const,
    ai_state: 'paused' as const,
    isHandoff: true,
  };
  await changeSession(trx, orgId, session, { ...change, events });
  const payload = { isExternal, n: session.handoffs + 1 };
  await announceWithState(trx, orgId, [{ type: 'pre-ticket-handoff', subject_id: session.id, payload }]);
  return handoff;
}
