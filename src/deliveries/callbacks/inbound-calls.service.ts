import { isTurnedOff } from '../../autopilot/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CallbackUrls } from '../../orgs/integrations/callback-urls.ts';
import { findAnsweringAgent } from '../../phone-agents/numbers/service.ts';
import type { InboundCall } from '../../providers/sending.ts';
import { answerWithAssistant, answerWithTransfer } from '../../providers/vapi/callbacks.ts';
import { receiveCall } from '../inbound/calls/service.ts';
import type { FindPhoneAgent } from './phone-tools.port.ts';

/** Spoken to the caller. */
const NOBODY = { error: 'Sorry, nobody can take your call at the moment.' };

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
