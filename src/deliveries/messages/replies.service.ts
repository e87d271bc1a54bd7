import type { Reply } from '../../conversations/deliveries.port.ts';
import type { Trx } from '../../db/connect.ts';
import { conflict, refused } from '../../errors.ts';
import { isVerifiedSender } from '../email-domains/service.ts';
import type { MessageContent } from '../sending/content.ts';
import { MAX_SMS_LENGTH } from '../sending/lengths.rules.ts';
import { findLastSender } from './replies.queries.ts';
import { requestMessage } from './service.ts';

/**
 * The longest text in one message of a channel, by the documents of Twilio and of the Cloud API. E-mail has no such
 * limit.
 */
const MAX_TEXT_LENGTH: Record<Reply['channel'], number> = {
  email: Number.POSITIVE_INFINITY,
  sms: MAX_SMS_LENGTH,
  whatsapp: 4_096,
};

/**
 * Accepts a message of a conversation for sending, from the last sender to the contact. Throws invalid if the text is
 * too long for the channel, and conflict if no sender is known.
 */
export async function requestReply(trx: Trx, orgId: string, reply: Reply): Promise<void> {
  const { id, channel, contactId, to, text } = reply;
  if (text.length > MAX_TEXT_LENGTH[channel])
    throw refused(
      'message.text',
      `must have at most ${MAX_TEXT_LENGTH[channel]} characters on ${channel}, links to files included`,
    );
  const out = await outgoingContentOf(trx, orgId, reply);
  await requestMessage(trx, orgId, { id, contactId, to, requestKey: null, ...out });
}

/** Returns the content to send, with its sender if the message has its own. */
async function outgoingContentOf(
  trx: Trx,
  orgId: string,
  { channel, contactId, text, ticketNumber, isDevelopment }: Reply,
): Promise<MessageContent & { sender: string | null }> {
  if (channel === 'sms') return { channel, content: { body: text }, sender: null };
  const sender = await findLastSender(trx, orgId, channel, contactId);
  if (channel === 'whatsapp') {
    if (sender === undefined)
      throw conflict('No WhatsApp number is known to answer from: POST /whatsapp/send-template first');
    return { channel, content: { phoneNumberId: sender, text }, sender };
  }
  if (sender === undefined) throw conflict('No address is known to answer from: send an e-mail by POST /email first');
  if (!isDevelopment && !(await isVerifiedSender(trx, orgId, sender)))
    throw conflict(`The domain of ${sender} is not verified: see PUT /email/domains`);
  const subject = `Re: ticket #${ticketNumber}`;
  const content = {
    from_email: sender,
    subject,
    sender_name: null,
    body: text,
    is_html: false,
    is_transactional: true,
  };
  return { channel, content, sender };
}
