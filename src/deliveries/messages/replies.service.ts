import type { Reply } from '../../conversations/deliveries.port.ts';
import { WINDOW_REFUSAL } from '../../conversations/transport.rules.ts';
import type { Trx } from '../../db/connect.ts';
import { refused, Undeliverable } from '../../errors.ts';
import { idOf } from '../../ids.ts';
import { toSlackText } from '../../providers/slack/text.rules.ts';
import type { EmailContent } from '../email/schema.ts';
import { isVerifiedSender } from '../email-domains/service.ts';
import { findDefaultInbox, findInbox, findInboxByAddress } from '../email-inboxes/service.ts';
import { isMessageId, referencesTo } from '../mail/message-ids.rules.ts';
import { attachedFileOf } from '../sending/attached-files.rules.ts';
import type { MessageContent } from '../sending/content.ts';
import { MAX_SMS_LENGTH } from '../sending/lengths.rules.ts';
import { directFiles, directParts } from './direct-parts.rules.ts';
import {
  type AnsweredMessage,
  findInboxOfSession,
  findLastInbound,
  findLastInboundOfContact,
  findSender,
  findSenderInSession,
  hasWrittenLately,
  listLastSenders,
  listSendersTo,
} from './replies.queries.ts';
import { answeringSubject, isPhoneNumber, signed } from './replies.rules.ts';
import { mailFiles, mayBeMms, whatsAppFiles, whatsAppParts, withLinks } from './reply-files.rules.ts';
import { requestMessage } from './service.ts';

/** Divided into several messages, as Messenger and Instagram take short ones only. */
const MAX_DIRECT_LENGTH = 10_000;

/**
 * The longest text of a reply on a channel, by the documents of Twilio, Meta and Slack. E-mail has no such limit.
 */
const MAX_TEXT_LENGTH: Record<Reply['channel'], number> = {
  email: Number.POSITIVE_INFINITY,
  sms: MAX_SMS_LENGTH,
  whatsapp: 4_096,
  messenger: MAX_DIRECT_LENGTH,
  instagram: MAX_DIRECT_LENGTH,
  slack: 40_000,
};

type ReplyContent = MessageContent & {
  sender: string | null;
  to?: string;
  /** The further parts of a message on a channel with one file a message, or with short texts. */
  more?: MessageContent[];
};

/**
 * Accepts a message of a conversation for sending, from the number or address that the contact wrote to. Throws invalid
 * if the text is too long for the channel, and conflict if no sender is known.
 */
export async function requestReply(trx: Trx, orgId: string, reply: Reply): Promise<void> {
  const { id, contactId, to } = reply;
  const { more = [], ...first } = await CONTENTS[reply.channel](trx, orgId, reply);
  const message = { contactId, to, requestKey: null, sender: first.sender };
  await requestMessage(trx, orgId, { id, ...message, ...first });
  for (const [index, part] of more.entries())
    await requestMessage(trx, orgId, { id: partIdOf(orgId, id, index), ...message, ...part });
}

/** Throws invalid for a text too long for the channel. */
function assertFits(channel: Reply['channel'], text: string): void {
  if (text.length > MAX_TEXT_LENGTH[channel])
    throw refused(
      'message.text',
      `must have at most ${MAX_TEXT_LENGTH[channel]} characters on ${channel}, links to files included`,
    );
}

/** Returns the id of the delivery of a message's further part. */
const partIdOf = (orgId: string, messageId: string, index: number) =>
  idOf(orgId, 'part of a message', messageId, String(index));

/** The content to send on each channel, with its sender if the message has its own. */
const CONTENTS: Record<Reply['channel'], (trx: Trx, orgId: string, reply: Reply) => Promise<ReplyContent>> = {
  async sms(trx, orgId, reply) {
    const reached = (await findReached(trx, orgId, reply))?.to ?? '';
    const from = isPhoneNumber(reached) ? { from: reached } : undefined;
    const text = withLinks(reply.text, reply.files);
    assertFits('sms', text);
    const isMms = reply.files.length > 0 && mayBeMms(reply.files, { to: reply.to, from: from?.from });
    const media = { urls: reply.files.map(({ url }) => url), text };
    const content = isMms ? { body: reply.text, media, ...from } : { body: text, ...from };
    return { channel: 'sms', content, sender: from?.from ?? null };
  },
  async whatsapp(trx, orgId, reply) {
    const sender = (await findReached(trx, orgId, reply))?.to_id ?? (await findLikeliestSender(trx, orgId, reply));
    if (sender === undefined)
      throw new Undeliverable(
        'no_transport',
        'No WhatsApp number is known to answer from: POST /whatsapp/send-template first',
      );
    const { attached, linked } = whatsAppFiles(reply.files);
    const text = withLinks(reply.text, linked);
    assertFits('whatsapp', text);
    const [first, ...more] = whatsAppParts(text, attached);
    const parts = more.map((_, index) => partIdOf(orgId, reply.id, index));
    return {
      channel: 'whatsapp',
      content: { ...first, phoneNumberId: sender, ...(parts.length > 0 && { parts }) },
      sender,
      more: more.map((part) => ({ channel: 'whatsapp', content: { ...part, phoneNumberId: sender } })),
    };
  },
  messenger: (trx, orgId, reply) => directContent(trx, orgId, reply, 'messenger'),
  instagram: (trx, orgId, reply) => directContent(trx, orgId, reply, 'instagram'),
  async slack(_trx, _orgId, { text, files }) {
    assertFits('slack', toSlackText(text));
    const attached = files.length > 0 && { files: files.map(attachedFileOf) };
    return { channel: 'slack', content: { text, ...attached }, sender: null };
  },
  async email(trx, orgId, reply) {
    const answered = await findLastInbound(trx, orgId, reply);
    const sender = await getEmailSender(trx, orgId, { ...reply, deliveryId: answered?.delivery_id });
    const inbox = await findInboxByAddress(trx, orgId, sender);
    const to = addressOf(reply, answered);
    const cc = (answered?.cc ?? []).filter((address) => address !== to.toLowerCase() && address !== sender);
    const { attached, linked } = mailFiles(reply.files);
    const content: EmailContent = {
      from_email: sender,
      subject: answered?.subject ? answeringSubject(answered.subject) : `Re: ticket #${reply.ticketNumber}`,
      sender_name: inbox?.display_name ?? null,
      body: signed(withLinks(reply.text, linked), inbox?.signature),
      is_html: false,
      is_transactional: reply.isOptional !== true,
      ...(attached.length > 0 && { files: attached.map(attachedFileOf) }),
      ...threadOf(answered),
      ...(cc.length > 0 && mayBeCopied(reply) && { cc }),
      ...(reply.isAutoReply && { is_auto_reply: true }),
    };
    return { channel: 'email', content, sender, to };
  },
};

/** Returns a reply on Messenger or Instagram. Throws Undeliverable once the contact's last message is older than 24 hours. */
async function directContent(
  trx: Trx,
  orgId: string,
  reply: Reply,
  channel: 'messenger' | 'instagram',
): Promise<ReplyContent> {
  if (!(await hasWrittenLately(trx, orgId, { contactId: reply.contactId, channel })))
    throw new Undeliverable('no_transport', WINDOW_REFUSAL);
  const { attached, linked } = directFiles(channel, reply.files);
  const text = withLinks(reply.text, linked);
  assertFits(channel, text);
  const [first, ...more] = directParts(channel, text, attached);
  const parts = more.map((_, index) => partIdOf(orgId, reply.id, index));
  return {
    channel,
    content: { ...first, ...(parts.length > 0 && { parts }) },
    sender: null,
    more: more.map((content) => ({ channel, content })),
  };
}

/** Whether others of the thread get an answer too. A program cannot judge who they are, unless the contact is verified. */
const mayBeCopied = ({ isOptional, isForContactAlone, isAutoReply, isVerified }: Reply): boolean =>
  isOptional !== true && isForContactAlone !== true && (!isAutoReply || isVerified);

function threadOf(answered: AnsweredMessage | undefined): Pick<EmailContent, 'in_reply_to' | 'references'> {
  const { provider_id: messageId = '', thread } = answered ?? {};
  return isMessageId(messageId) ? { in_reply_to: messageId, references: referencesTo(thread ?? [], messageId) } : {};
}

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

/**
 * Returns the address of the session's inbox, else the likeliest sender whose domain is verified. Throws conflict if the
 * inbox is not verified, or if no sender is known.
 */
async function getEmailSender(
  trx: Trx,
  orgId: string,
  place: Reply & { deliveryId: string | null | undefined },
): Promise<string> {
  const inboxId = await findInboxOfSession(trx, orgId, place.sessionId);
  const inbox = inboxId === undefined ? undefined : await findInbox(trx, orgId, inboxId);
  if (inbox !== undefined) {
    if (place.isDevelopment || inbox.is_verified) return inbox.address;
    throw new Undeliverable(
      'no_transport',
      `The domain of the inbox ${inbox.address} is not verified: see PUT /email/domains`,
    );
  }
  let likeliest: string | undefined;
  for await (const sender of likelySenders(trx, orgId, place)) {
    if (place.isDevelopment || (await isVerifiedSender(trx, orgId, sender))) return sender;
    likeliest ??= sender;
  }
  throw new Undeliverable(
    'no_transport',
    likeliest === undefined
      ? 'No address is known to write from. An admin makes a mailbox the default sender in the settings (PUT /email/inboxes with is_default_sender), or somebody sends an e-mail by POST /email first'
      : `The domain of ${likeliest} is not verified: see PUT /email/domains`,
  );
}

async function findLikeliestSender(trx: Trx, orgId: string, reply: Reply): Promise<string | undefined> {
  for await (const sender of likelySenders(trx, orgId, reply)) return sender;
  return undefined;
}

/**
 * Finds who may answer in a session, the likeliest first: the sender of the message that the contact has replied to, of
 * the session's last message, the org's default one, those of the last messages to the contact, and of the org's last ones.
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
  const preferred = channel === 'email' ? await findDefaultInbox(trx, orgId) : undefined;
  if (preferred !== undefined) yield preferred.address;
  yield* await listSendersTo(trx, orgId, { contactId, channel });
  yield* await listLastSenders(trx, orgId, channel);
}
