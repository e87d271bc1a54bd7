import { findStartingCall, type StartingCall, settleRun } from '../../ai/calls/workflow-runs.service.ts';
import { getContactSnapshots } from '../../contacts/snapshots.service.ts';
import { listSessionSnapshots } from '../../conversations/sessions/snapshots.service.ts';
import type { Trx } from '../../db/connect.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import type { Json } from '../blocks/schema.ts';
import { lockRun } from '../runs/shared.queries.ts';
import { startRuns } from '../runs/start-runs.service.ts';
import { type Payload, withSession } from './trigger-payloads.service.ts';

const NOT_STARTED = 'The workflow did not start: it is not active, its constraints do not hold, or its run says why';

/** Reaction to a call of a workflow by the AI: starts its run, which has the id of the call. */
export const startCalledRuns: Reaction<'workflow-called'> = async (trx, orgId, events) => {
  for (const event of events) await startCalledRun(trx, orgId, event);
};

async function startCalledRun(trx: Trx, orgId: string, event: ClaimedEvent<'workflow-called'>): Promise<void> {
  const { call_id: runId, workflow_id: only } = event.payload;
  const call = await findStartingCall(trx, orgId, runId);
  if (call === undefined) return;
  const output = await outputOf(trx, orgId, call);
  const triggerEvent = { key: `ai-call/${runId}`, occurredAt: event.created_at, depth: event.depth, runId };
  const triggerEvents = output === undefined ? [] : [{ ...triggerEvent, output }];
  await startRuns(trx, orgId, 'ai-trigger', { triggerEvents, cause: 'automatic', only });
  if ((await findStartingCall(trx, orgId, runId)) === undefined) return; // the run has ended already
  const run = await lockRun(trx, orgId, runId);
  if (run === undefined || run.status === 'failed')
    await settleRun(trx, orgId, runId, { state: 'failed', response: null, reason: NOT_STARTED });
}

async function outputOf(trx: Trx, orgId: string, call: StartingCall): Promise<Payload | undefined> {
  const session = (await listSessionSnapshots(trx, orgId, [call.sessionId])).get(call.sessionId);
  if (session === undefined) return undefined;
  const contacts = await getContactSnapshots(trx, orgId, session.contactId === null ? [] : [session.contactId]);
  return withSession(session, contacts, { arguments: call.arguments as Json });
}
