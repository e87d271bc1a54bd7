import { isTurnedOff } from '../../autopilot/service.ts';
import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { toE164 } from '../../contacts/phone-number.schema.ts';
import { openInboundCall } from '../../conversations/messages/phone-calls.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import type { CallbackUrls } from '../../orgs/integrations/callback-urls.ts';
import { findAnsweringAgent } from '../../phone-agents/numbers/service.ts';
import type { InboundCall } from '../../providers/sending.ts';
import { answerWithAssistant, answerWithTransfer } from '../../providers/vapi/callbacks.ts';
import { insertInboundMessage, updateInboundContact } from '../inbound/messages.queries.ts';
import { findReportedCall } from './call-reports.queries.ts';
import type { FindPhoneAgent } from './phone-tools.port.ts';

/** Spoken to the caller. */
const NOBODY = { error: 'Sorry, nobody can take your call at the moment.' };
const WITHHELD = 'anonymous';

export interface AnsweringDeps {
  findAgent: FindPhoneAgent;
  urls: CallbackUrls;
  /** What callbacks about the call carry. */
  secret: string;
}

export type CallAnswer = ReturnType<typeof answerWithAssistant | typeof answerWithTransfer> | typeof NOBODY;

/**
 * Answers a call that comes in with the assistant of the agent for the dialled number, and opens its session. A repeated
 * request has the same session. The call of a blocked contact is refused, and so is one that no agent takes. Where the AI
 * is turned off on the phone, the call goes to the people of the agent's number.
 */
export function answerCall(db: Db, deps: AnsweringDeps, orgId: string, call: InboundCall): Promise<CallAnswer> {
  return inTransaction(db, async (trx) => {
    const dialled = { providerId: call.toId, number: call.to };
    const answering = await findAnsweringAgent(trx, orgId, dialled);
    if (answering === undefined) return NOBODY;
    const received = await receiveCall(trx, orgId, call);
    if (received === 'blocked') return NOBODY;
    const { id: agentId, handoff_phone_number: people } = answering;
    if (await isTurnedOff(trx, orgId, 'phone')) return people === null ? NOBODY : answerWithTransfer(people);
    const agent = await deps.findAgent(trx, orgId, { agentId, contactId: received.contactId });
    if (agent === undefined) return NOBODY;
    return answerWithAssistant(agent, { url: deps.urls.urlOf('vapi', orgId), secret: deps.secret });
  });
}

/** Stores a call once, with its session. That of a blocked contact is stored without one. */
async function receiveCall(
  trx: Trx,
  orgId: string,
  { providerId, name, to, toId, ...call }: InboundCall,
): Promise<{ contactId: string | null } | 'blocked'> {
  const number = toE164(call.from ?? '') ?? null;
  const dialled = to ?? toId ?? 'an unknown number';
  const message = {
    channel: 'voice',
    provider: 'vapi',
    providerId,
    toId,
    name,
    body: '',
    deliveryId: undefined,
  } as const;
  const id = newId();
  const stored = { ...message, id, from: number ?? call.from ?? WITHHELD, to: dialled, isReply: true };
  const contactId = await insertInboundMessage(trx, orgId, stored);
  if (contactId === undefined) return findReceived(trx, orgId, providerId);
  if (await isContactBlocked(trx, orgId, contactId)) return 'blocked';
  const caller = await openInboundCall(trx, orgId, { id, contactId, from: number, to: dialled, name });
  if (contactId === null && caller !== null) await updateInboundContact(trx, orgId, id, caller);
  return { contactId: caller };
}

async function findReceived(
  trx: Trx,
  orgId: string,
  providerId: string,
): Promise<{ contactId: string | null } | 'blocked'> {
  const call = await findReportedCall(trx, orgId, { provider: 'vapi', providerId, deliveryId: undefined });
  const contactId = call?.contact_id ?? null;
  return (await isContactBlocked(trx, orgId, contactId)) ? 'blocked' : { contactId };
}
