import { resolveContacts } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import type { SessionChannel } from '../../http/schemas.ts';
import { findLatestSessionForUpdate, lockConversation } from '../queries.ts';
import { lockSession, openSession } from '../sessions/service.ts';
import { addContactMessage } from './contact-messages.service.ts';

export interface InboundMessage {
  id: string;
  channel: 'email' | 'sms' | 'whatsapp' | 'voice';
  /** Null if no contact has the address: one is then created. */
  contactId: string | null;
  /** An e-mail address in lower case, or a number as E.164. */
  from: string;
  text: string;
}

/**
 * Adds a message received from a provider to the contact's latest session on the channel, or to a new one if there is
 * none.
 */
export async function addInboundMessage(
  trx: Trx,
  orgId: string,
  { id, channel, ...message }: InboundMessage,
): Promise<void> {
  const contactId = message.contactId ?? (await resolveContact(trx, orgId, channel, message.from));
  const on: SessionChannel = channel === 'voice' ? 'phone_voice' : channel;
  await lockConversation(trx, orgId, contactId);
  const session =
    (await findLatestSessionForUpdate(trx, orgId, contactId, on)) ??
    (await lockSession(trx, orgId, (await openSession(trx, orgId, { contactId, channel: on })).id));
  await addContactMessage(trx, orgId, session, { id, text: message.text });
}

async function resolveContact(
  trx: Trx,
  orgId: string,
  channel: InboundMessage['channel'],
  from: string,
): Promise<string> {
  const ref = channel === 'email' ? { email: from } : { phone_number: from };
  const [resolved] = await resolveContacts(trx, orgId, [ref]);
  if (resolved?.contactId === undefined) throw new Error('The sender of a message has no contact');
  return resolved.contactId;
}
