import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { memberOf } from '../../collections/records.ts';
import { isSameSecret } from '../constant-time.ts';
import { reasonFrom } from '../egress/provider-responses.ts';
import type { CallbackContent, StatusReport } from '../sending.ts';
import { assistantOf } from './assistant.ts';
import { callReportsOf, VapiReport } from './call-reports.ts';
import { deliveryIdOf, wasAnswered } from './calls.ts';
import type { AssistantServer, PhoneAgentProfile } from './port.ts';
import { inboundCallOf, transferRequestOf } from './requests.ts';
import { toolRequestOf } from './tool-calls.ts';

/**
 * Whether a callback carries the org's secret (X-Vapi-Secret), or a signature of these exact bytes by it
 * (X-Vapi-Signature).
 */
export function isVapiSignature(secret: string, rawBody: Buffer, headers: IncomingHttpHeaders): boolean {
  const { 'x-vapi-secret': given, 'x-vapi-signature': signature } = headers;
  if (typeof given === 'string') return isSameSecret(given, secret);
  if (typeof signature !== 'string') return false;
  return isSameSecret(signature, createHmac('sha256', secret).update(rawBody).digest('hex'));
}

/** Returns the answer that gives a call its assistant. */
export const answerWithAssistant = (agent: PhoneAgentProfile, server: AssistantServer) => ({
  assistant: assistantOf(agent, server),
});

/** Returns the answer that transfers a call, with or without an assistant before it. */
export const answerWithTransfer = (number: string) => ({ destination: { type: 'number', number } as const });

const Callback = z.object({ message: VapiReport });

/** Reads a verified callback. Never throws: anything but a relevant status is skipped. */
export function readVapiCallback(body: unknown): CallbackContent {
  const message = Callback.safeParse(body).data?.message;
  if (message === undefined) return { reports: [], messages: [] };
  const raw = memberOf(body, 'message');
  const [toolRequest, inboundCall, transferRequest] = [
    toolRequestOf(raw),
    inboundCallOf(raw),
    transferRequestOf(message),
  ];
  const report = reportOf(message);
  return {
    reports: report === undefined ? [] : [report],
    messages: [],
    ...(toolRequest && { toolRequest }),
    ...(inboundCall && { inboundCall }),
    ...(transferRequest && { transferRequest }),
    calls: callReportsOf(message),
  };
}

/** Returns `sent` for an answered call, and `delivered` or `failed` for an ended one, by the reason of its end. */
function reportOf({ type, status, endedReason, call }: VapiReport): StatusReport | undefined {
  const common = { providerId: call.id, deliveryId: deliveryIdOf(call), reason: null, isSuppressing: false };
  if (type === 'status-update' && status === 'in-progress') return { ...common, status: 'sent' };
  const hasEnded = type === 'end-of-call-report' || (type === 'status-update' && status === 'ended');
  const because = endedReason ?? call.endedReason;
  if (!hasEnded || because === undefined) return undefined;
  if (wasAnswered(because)) return { ...common, status: 'delivered' };
  return { ...common, status: 'failed', reason: reasonFrom(because, []) };
}
