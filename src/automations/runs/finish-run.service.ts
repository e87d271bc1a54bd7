import { settleRun } from '../../ai/calls/workflow-runs.service.ts';
import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/announcing.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { type HandoffHoldRef, HOLD_HANDOFF, handoffHoldSubject } from '../handoff-hold/contract.ts';
import { findHandoffHold } from '../handoff-hold/shared.queries.ts';
import { outcomeOfRun } from './run-outcome.service.ts';
import { endRuns, type RunEnd } from './shared.queries.ts';

/** Ends a run, tells the AI if it has called it, and wakes the handoff hold waiting for its end. */
export const finishRun = (trx: Trx, orgId: string, id: string, end: RunEnd): Promise<void> =>
  finishRuns(trx, orgId, [id], end);

/** Ends runs in the same way, as finishRun does. */
export async function finishRuns(trx: Trx, orgId: string, ids: string[], end: RunEnd): Promise<void> {
  if (ids.length === 0) return;
  const ended = await endRuns(trx, orgId, ids, end);
  for (const { id, trigger_type } of ended)
    if (trigger_type === 'ai-trigger') await settleRun(trx, orgId, id, await outcomeOfRun(trx, orgId, id, end));
  const { status } = end;
  if (status !== 'canceled')
    await announce(
      trx,
      orgId,
      ids.map((id) => ({ type: 'workflow-run-ended', subject_id: id, payload: { status } })),
    );
  for (const { handoff_hold_id: holdId } of ended) {
    const hold = holdId === null ? undefined : await findHandoffHold(trx, orgId, holdId);
    if (holdId !== null && hold !== undefined)
      await enqueue(trx, orgId, wakeHandoffHold({ orgId, sessionId: hold.session_id, holdId }));
  }
}

/** Wakes a handoff hold to count the runs it still waits for. */
export const wakeHandoffHold = (ref: HandoffHoldRef) =>
  signalWithStart(HOLD_HANDOFF, ref, WAKE, handoffHoldSubject(ref.sessionId));
