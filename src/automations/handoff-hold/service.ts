import { announceWithState } from '../../conversations/announcements.service.ts';
import { isHandedOff } from '../../conversations/handoff/status.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { setEventDepth } from '../../outbox/causation.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { startRunsForEvent } from '../triggers/trigger-events.service.ts';
import { type HandoffHoldRef, HOLD_HANDOFF, handoffHoldSubject } from './contract.ts';
import { addRunsToHold, deleteHandoffHold, findMaxDepth, insertHandoffHold } from './shared.queries.ts';

export { IS_HELD, listHeldHandoffs } from './shared.queries.ts';

/**
 * Reaction to `pre-ticket-handoff`: starts the workflows to run before the handoff. The handoff continues after they
 * have ended, or at once if there are none.
 */
export const holdHandoffs: Reaction<'pre-ticket-handoff'> = async (trx, orgId, events) => {
  for (const event of events) {
    const sessionId = event.subject_id;
    const { isExternal, n } = event.payload;
    const holdId = newId();
    const runIds = await startRunsForEvent(trx, orgId, event);
    if (runIds.length === 0 || (await addRunsToHold(trx, orgId, holdId, runIds)) === 0) {
      await announceHandoff(trx, orgId, sessionId, { isExternal, n });
      continue;
    }
    await insertHandoffHold(trx, orgId, { id: holdId, sessionId, isExternal, n });
    await enqueue(trx, orgId, start(HOLD_HANDOFF, { orgId, sessionId, holdId }, handoffHoldSubject(sessionId)));
  }
};

/** Releases a handoff, once. */
export const releaseHandoff = (db: Db, { orgId, holdId }: HandoffHoldRef): Promise<void> =>
  inTransaction(db, async (trx) => {
    const hold = await deleteHandoffHold(trx, orgId, holdId);
    if (hold === undefined) return;
    await setEventDepth(trx, await findMaxDepth(trx, orgId, holdId));
    const { session_id: sessionId, is_elsewhere: isExternal, handoff_number: n } = hold;
    await announceHandoff(trx, orgId, sessionId, { isExternal, n });
  });

/** Announces a handoff, unless its session was returned to the AI meanwhile. Another handoff then has its own events. */
async function announceHandoff(
  trx: Trx,
  orgId: string,
  sessionId: string,
  payload: { isExternal: boolean; n: number },
): Promise<void> {
  if (!(await isHandedOff(trx, orgId, sessionId, payload.n))) return;
  await announceWithState(trx, orgId, [{ type: 'ticket-handoff', subject_id: sessionId, payload }]);
}
