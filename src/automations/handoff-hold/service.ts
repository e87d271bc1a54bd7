import { announceWithState } from '../../conversations/announcements.service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { setEventDepth } from '../../outbox/claim.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { addRunsToHold, deleteHandoffHold, findMaxDepth, insertHandoffHold } from '../handoff-hold.queries.ts';
import { startRunsForEvent } from '../triggers/trigger-events.service.ts';
import { type HandoffHoldRef, HOLD_HANDOFF, handoffHoldSubject } from './contract.ts';

export { listHeldHandoffs } from '../handoff-hold.queries.ts';

/**
 * Reaction to `pre-ticket-handoff`: starts the workflows to run before the handoff. The handoff continues after they
 * have ended, or at once if there are none.
 */
export const holdHandoffs: Reaction<'pre-ticket-handoff'> = async (trx, orgId, events) => {
  for (const event of events) {
    const sessionId = event.subject_id;
    const { isExternal } = event.payload;
    const holdId = newId();
    const runIds = await startRunsForEvent(trx, orgId, event);
    if (runIds.length === 0 || (await addRunsToHold(trx, orgId, holdId, runIds)) === 0) {
      await announceWithState(trx, orgId, 'ticket-handoff', [{ subject_id: sessionId, payload: { isExternal } }]);
      continue;
    }
    await insertHandoffHold(trx, orgId, { id: holdId, sessionId, isExternal });
    await enqueue(trx, orgId, start(HOLD_HANDOFF, { orgId, sessionId, holdId }, handoffHoldSubject(sessionId)));
  }
};

/** Releases a handoff, once. */
export const releaseHandoff = (db: Db, { orgId, holdId }: HandoffHoldRef): Promise<void> =>
  inTransaction(db, async (trx) => {
    const hold = await deleteHandoffHold(trx, orgId, holdId);
    if (hold === undefined) return;
    await setEventDepth(trx, await findMaxDepth(trx, orgId, holdId));
    const payload = { isExternal: hold.is_elsewhere };
    await announceWithState(trx, orgId, 'ticket-handoff', [{ subject_id: hold.session_id, payload }]);
  });
