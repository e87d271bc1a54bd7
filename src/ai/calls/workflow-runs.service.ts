import { isRecord } from '../../collections/records.ts';
import type { Trx } from '../../db/connect.ts';
import { wakeTurns } from '../turns/requests.service.ts';
import { findCall, listRunningCalls, type RunOutcome, storeRunOutcome } from './queries.ts';

export type { RunOutcome } from './queries.ts';

const MAX_REASON = 500;

/** A call of a workflow with a run about to begin. */
export interface StartingCall {
  sessionId: string;
  arguments: Record<string, unknown>;
}

/** Returns the call of a run about to begin. Undefined if it has ended, or is redacted. */
export async function findStartingCall(trx: Trx, orgId: string, callId: string): Promise<StartingCall | undefined> {
  const call = await findCall(trx, orgId, callId);
  if (call === undefined || call.state !== 'running' || call.arguments === null) return undefined;
  const { body_params: body } = call.arguments;
  return { sessionId: call.session_id, arguments: isRecord(body) ? body : {} };
}

/**
 * Records how a run has ended, if the AI has called it. Wakes a turn of the session if none waits for it any more. Call
 * it in the transaction of the run's end.
 */
export async function settleRun(trx: Trx, orgId: string, runId: string, outcome: RunOutcome): Promise<void> {
  const reason = outcome.reason?.slice(0, MAX_REASON) ?? null;
  const sessionId = await storeRunOutcome(trx, orgId, runId, { ...outcome, reason });
  if (sessionId !== undefined) await wakeTurns(trx, orgId, [sessionId]);
}

/** Ends the calls of a deleted workflow: the progress of their runs is no longer known. */
export async function abandonRuns(trx: Trx, orgId: string, workflowId: string): Promise<void> {
  for (const callId of await listRunningCalls(trx, orgId, workflowId))
    await settleRun(trx, orgId, callId, { state: 'unknown', response: null, reason: 'The workflow was deleted' });
}
