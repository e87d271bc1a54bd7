import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { changeSession } from '../change-session.service.ts';
import { lockSession } from '../sessions/service.ts';
import { deliverToChannel, type SendingDeps } from './service.ts';

/**
 * Sends a message of a customer's workflow in a session and returns its id. It is no person's reply: it neither stops
 * clocks of replies nor changes the awaited side. Throws the same errors as sendMessage.
 */
export async function sendWorkflowMessage(
  trx: Trx,
  deps: SendingDeps,
  orgId: string,
  { sessionId, runId, text }: { sessionId: string; runId: string; text: string },
): Promise<string> {
  const session = await lockSession(trx, orgId, sessionId);
  const id = newId();
  await deliverToChannel(trx, deps, orgId, { session, id, text, files: [], isAutoReply: true });
  const data = { workflow_run_id: runId };
  await changeSession(trx, orgId, session, {
    events: [{ id, type: 'workflow_message', content: text, data, relayTo: 'customer' }],
  });
  return id;
}

/**
 * Adds to a session a message sent another way: a template, or a call. A second one with the same id changes nothing,
 * so the call can be repeated.
 */
export async function addSentMessage(
  trx: Trx,
  orgId: string,
  { id, sessionId, content, kind }: { id: string; sessionId: string; content: string; kind: 'template' | 'call' },
): Promise<void> {
  const session = await lockSession(trx, orgId, sessionId);
  const event =
    kind === 'template' ? ({ type: 'workflow_message' } as const) : ({ type: 'message', sender: 'system' } as const);
  await changeSession(trx, orgId, session, { events: [{ ...event, id, content }] });
}
