import type { Trx } from '../db/connect.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import { gateSubject, HOLD_HANDOFF, RUN_ENDED } from './gates.contract.ts';
import { findGate } from './gates.queries.ts';
import { endRun } from './runs.queries.ts';

/** Ends a run, and tells what waits for that. */
export async function finishRun(trx: Trx, orgId: string, id: string, end: Parameters<typeof endRun>[3]): Promise<void> {
  const gateId = await endRun(trx, orgId, id, end);
  const gate = gateId === null ? undefined : await findGate(trx, orgId, gateId);
  if (gateId === null || gate === undefined) return;
  await enqueue(trx, orgId, runEnded(orgId, gate.session_id, gateId));
}

/** Has a gate look how many runs it still waits for. */
export const runEnded = (orgId: string, sessionId: string, gateId: string) =>
  signalWithStart(HOLD_HANDOFF, { orgId, sessionId, gateId }, RUN_ENDED, gateSubject(sessionId));
