import { z } from 'zod';
import type { InboundCall, TransferRequest } from '../sending.ts';
import { describe, type VapiReport } from './call-reports.ts';
import { deliveryIdOf, metadataOf, PhoneAgentMetadata, Text, VapiCall } from './calls.ts';

const Party = z.object({ number: Text, sipUri: Text, name: Text }).optional().catch(undefined);
const AssistantRequest = z.object({
  type: z.literal('assistant-request'),
  customer: Party,
  phoneNumber: Party,
  call: VapiCall.extend({ phoneNumberId: Text, customer: Party, phoneNumber: Party }),
});

/** Returns the call that comes in and has no assistant yet. Undefined for any other message. */
export function inboundCallOf(message: unknown): InboundCall | undefined {
  const { data } = AssistantRequest.safeParse(message);
  if (data === undefined) return undefined;
  const { call } = data;
  const customer = data.customer ?? call.customer;
  const dialled = data.phoneNumber ?? call.phoneNumber;
  return {
    providerId: call.id,
    from: customer?.number ?? customer?.sipUri,
    name: customer?.name,
    to: dialled?.number ?? dialled?.sipUri,
    toId: call.phoneNumberId,
  };
}

/** Returns the call whose assistant wants to transfer it, and asks where to. Undefined for any other message. */
export function transferRequestOf(report: VapiReport): TransferRequest | undefined {
  if (report.type !== 'transfer-destination-request') return undefined;
  const { call } = report;
  return {
    providerId: call.id,
    deliveryId: deliveryIdOf(call),
    agentId: metadataOf(call, PhoneAgentMetadata)?.phone_agent_id,
    call: describe(report),
  };
}
