import { getContact, resolveContacts } from '../../contacts/service.ts';
import { openCallSession } from '../../conversations/messages/phone-calls.service.ts';
import { getSessionOfMessage } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, invalid, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { getPhoneAgent, INBOUND_ONLY } from '../../phone-agents/service.ts';
import { type ChannelDefaults, listChannels } from '../sending/channels.service.ts';
import { findMessageByRequestKey } from './queries.ts';
import type { MakeOutboundCall } from './schema.ts';
import { requestMessage } from './service.ts';

/**
 * Accepts a call by an AI phone agent in a new session of the contact. The number is dialled once: a call without a
 * known outcome is not repeated, nor is a request repeated under its key. Throws notFound for the agent or contact,
 * invalid for a contact without a number and for an agent that only takes calls, and conflict without a connected voice platform.
 */
export function requestCall(
  db: Db,
  orgId: string,
  { phoneAgentId, contact: ref }: MakeOutboundCall,
  { requestKey = null, ...defaults }: ChannelDefaults & { requestKey?: string | null },
) {
  return inTransaction(db, async (trx) => {
    const made = requestKey === null ? undefined : await findMessageByRequestKey(trx, orgId, requestKey);
    if (made !== undefined)
      return { call_id: made, session_id: (await getSessionOfMessage(trx, orgId, made)).id, status: 'queued' };
    if (!(await listChannels(trx, orgId, defaults)).has('voice'))
      throw conflict('No voice platform is connected: PUT /integrations/voice first');
    const agent = await getPhoneAgent(trx, orgId, phoneAgentId);
    if (agent.type !== 'outbound') throw refused('phoneAgentId', INBOUND_ONLY);
    const [resolved] = await resolveContacts(trx, orgId, ['id' in ref ? ref : { phone_number: ref.phoneNumber }]);
    if (resolved?.contactId === undefined) throw notFound('contact');
    const { id: contactId, phone_number: to } = await getContact(trx, orgId, resolved.contactId);
    if (to === null) throw invalid('contact: has no phone number to call');
    const id = newId();
    const sessionId = await openCallSession(trx, orgId, { id, contactId, content: `Call by ${agent.name} to ${to}` });
    const content = { agentId: agent.id };
    await requestMessage(trx, orgId, { id, channel: 'voice', content, contactId, to, sender: null, requestKey });
    return { call_id: id, session_id: sessionId, status: 'queued' };
  });
}
