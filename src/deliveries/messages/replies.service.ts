import type { Reply } from '../../conversations/deliveries.port.ts';
import type { Trx } from '../../db/connect.ts';
import { conflict, refused } from '../../errors.ts';
import { isVerifiedSender } from '../email-domains/service.ts';
import { isMessageId, referencesTo } from '../mail/message-ids.rules.ts';
import type { MessageContent } from '../sending/content.ts';
import { MAX_SMS_LENGTH } from '../sending/lengths.rules.ts';
import {
  type AnsweredMessage,
  findLastInbound,
  findLastInboundOfContact,
  findSender,
  findSenderInSession,
  listLastSenders,
  listSendersTo,
} from './replies.queries.ts';
import { answeringSubject, isPhoneNumber } from './replies.rules.ts';
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

type ReplyContent = MessageContent & { sender: string | null; to?: string };

/**
 * Accepts a message of a conversation for sending, from the number or address that the contact wrote to. Throws invalid
 * if the text is too long for the channel, and conflict if no sender is known.
 */
export async function requestReply(trx: Trx, orgId: string, reply: Reply): Promise<void> {
  const { id, channel, contactId, to, text } = reply;
  if (text.length > MAX_TEXT_LENGTH[channel])
    throw refused(
      'message.text',
      `must have at most ${MAX_TEXT_LENGTH[channel]} characters on ${channel}, links to files included`,
    );
  const out = await CONTENTS[channel](trx, orgId, reply);
  await requestMessage(trx, orgId, { id, contactId, to, requestKey: null, ...out });
}

/** The content to send on each channel, with its sender if the message has its own. */
const CONTENTS: Record<Reply['channel'], (trx: Trx, orgId: string, reply: Reply) => Promise<ReplyContent>> = {
  async sms(trx, orgId, reply) {
    const reached = (await findReached(trx, orgId, reply))?.to ?? '';
    const from = isPhoneNumber(reached) ? { from: reached } : undefined;
    return { channel: 'sms', content: { body: reply.text, ...from }, sender: from?.from ?? null };
  },
  async whatsapp(trx, orgId, reply) {
    const sender = (await findReached(trx, orgId, reply))?.to_id ?? (await findLikeliestSender(trx, orgId, reply));
    if (sender === undefined)
      throw conflict('No WhatsApp number is known to answer from: POST /whatsapp/send-template first');
    return { channel: 'whatsapp', content: { phoneNumberId: sender, text: reply.text }, sender };
  },
  async email(trx, orgId, reply) {
    const answered = await findLastInbound(trx, orgId, reply);
    const sender = await getEmailSender(trx, orgId, { ...reply, deliveryId: answered?.delivery_id });
    const { provider_id: messageId = '', subject, thread } = answered ?? {};
    const content = {
      from_email: sender,
      subject: subject ? answeringSubject(subject) : `Re: ticket #${reply.ticketNumber}`,
      sender_name: null,
      body: reply.text,
      is_html: false,
      is_transactional: true,
      ...(isMessageId(messageId) && {
        in_reply_to: messageId,
        references: referencesTo(thread ?? [], messageId),
      }),
      ...(reply.isAutoReply && { is_auto_reply: true }),
    };
    return { channel: 'email', content, sender, to: addressOf(reply, answered) };
  },
};

/**
 * Returns where the answer of a person goes to: the address that the contact has named in the answered e-mail, which the
 * person sees. A program cannot judge who named it, and answers the contact's own address.
 */
function addressOf({ to, isAutoReply }: Reply, answered: AnsweredMessage | undefined): string {
  const isOwn = answered?.from === to.toLowerCase();
  return isOwn && !isAutoReply ? (answered.reply_to ?? to) : to;
}

/** Finds the message that shows which number the contact writes to: the session's last one, else the contact's. */
const findReached = async (trx: Trx, orgId: string, reply: Reply) =>
  (await findLastInbound(trx, orgId, reply)) ?? (await findLastInboundOfContact(trx, orgId, reply));

/** Returns the likeliest sender whose domain is verified. Throws conflict if there is none. */
async function getEmailSender(
  trx: Trx,
  orgId: string,
  place: Reply & { deliveryId: string | null | undefined },
): Promise<string> {
  let likeliest: string | undefined;
  for await (const sender of likelySenders(trx, orgId, place)) {
    if (place.isDevelopment || (await isVerifiedSender(trx, orgId, sender))) return sender;
    likeliest ??= sender;
  }
  throw conflict(
    likeliest === undefined
      ? 'No address is known to answer from: send an e-mail by POST /email first'
      : `The domain of ${likeliest} is not verified: see PUT /email/domains`,
  );
}

async function findLikeliestSender(trx: Trx, orgId: string, reply: Reply): Promise<string | undefined> {
  for await (const sender of likelySenders(trx, orgId, reply)) return sender;
  return undefined;
}

/**
 * Finds who may answer in a session, the likeliest first: the sender of the message that the contact has replied to, of
 * the session's last message, of the last ones to the contact, and of the org's last ones.
 */
async function* likelySenders(
  trx: Trx,
  orgId: string,
  { channel, sessionId, contactId, deliveryId }: Reply & { deliveryId?: string | null | undefined },
): AsyncGenerator<string> {
  const answered = deliveryId ? await findSender(trx, orgId, { deliveryId, channel }) : undefined;
  if (answered !== undefined) yield answered;
  const inSession = await findSenderInSession(trx, orgId, { sessionId, channel });
  if (inSession !== undefined) yield inSession;
  yield* await listSendersTo(trx, orgId, { contactId, channel });
  yield* await listLastSenders(trx, orgId, channel);
}
