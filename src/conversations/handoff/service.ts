import type { Trx } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { announce } from '../../outbox/events.ts';
import { updateSession } from '../sessions/queries.ts';
import type { Handoff } from '../sessions/table.ts';

/**
 * Records the handoff of a session to agents and announces it. The reason is not part of the event: consumers read it
 * from the session. With `isExternal` the agents already have the session in the org's ticketing system. Otherwise the
 * handoff is pending until the ticketing system has it, if the org has configured one, connected or not.
 */
export async function startHandoff(
  trx: Trx,
  orgId: string,
  id: string,
  reason: string | null,
  { isExternal = false }: { isExternal?: boolean } = {},
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
  await updateSession(trx, orgId, id, { handoff: JSON.stringify(handoff), ai_closure_type: 'handed_off' });
  await announce(trx, orgId, 'pre-ticket-handoff', [{ subject_id: id, payload: { isExternal } }]);
  return handoff;
}

async function hasHandoffTarget(trx: Trx, orgId: string): Promise<boolean> {
  const { handoff_target } = await readSettings(trx, orgId);
  return handoff_target !== null && handoff_target !== 'none';
}
