import { isUserChannel } from '../../contacts/channel-users/channels.rules.ts';
import { findContactOfChannelUser, resolveChannelUser } from '../../contacts/channel-users/service.ts';
import { findContactOfUser, resolveWhatsAppUser } from '../../contacts/whatsapp-users/service.ts';
import { attachmentOf } from '../../conversations/messages/attachments.service.ts';
import { addInboundMessage, hasSession, type InboxOrigin } from '../../conversations/messages/inbound.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { type Media, recordMedia } from '../../media/service.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import type { Consent, InboundFile } from '../../providers/sending.ts';
import { type Channel, RECEIVE_INBOUND_FILES } from '../contract.ts';
import { deleteUnsubscribe, insertSuppression, suppressOtherAddresses } from '../suppressions/shared.queries.ts';
import { type MissingFile, textWith } from './files.rules.ts';
import {
  findContactNumber,
  findInbound,
  insertInboundMessage,
  type NewInboundMessage,
  updateInboundContact,
} from './messages.queries.ts';
import { consentOf } from './opt-out.rules.ts';
import { numbersOfWhatsAppId } from './whatsapp-numbers.rules.ts';

/** What else a message is made of than its text. */
interface MessageParts {
  /** The stored files. */
  media?: Media[] | undefined;
  missing?: MissingFile[] | undefined;
  /** Whether the text only says what was sent. */
  isDescription?: boolean | undefined;
  /** Whether it is a mere reaction, which asks for no answer. */
  isReaction?: boolean | undefined;
  /** Whether a program must not answer it. */
  isAutomated?: boolean | undefined;
  /** Of an e-mail to an inbox. */
  inbox?: InboxOrigin | undefined;
  /** Of an e-mail: whether it is proven to be from its sender. */
  isAuthentic?: boolean | undefined;
}

/** A message as received, with addresses in lower case or E.164. */
export type ReceivedMessage = Omit<NewInboundMessage, 'id' | 'isReply' | 'files'> &
  MessageParts & {
    /** The files to be fetched from the provider. */
    files?: InboundFile[] | undefined;
    /** What the provider took the message for, if it says so. */
    consent?: Consent | undefined;
    /** The channel's id of the sender, if it is known. */
    userId?: string | undefined;
  };

/**
 * Receives a contact's message once. An SMS of STOP suppresses its number on the channel and is no reply. START removes
 * this suppression. The provider's own reading of an SMS counts more than its words. Any message but STOP continues the
 * contact's session: at once, or when its files are fetched. A reaction opens no session. The transaction of a STOP holds
 * merges: one under way copies what it has seen.
 */
export function receiveMessage(
  db: Db,
  orgId: string,
  {
    media,
    missing,
    isDescription,
    isReaction = false,
    isAutomated,
    inbox,
    isAuthentic,
    files = [],
    consent: given,
    userId,
    ...inbound
  }: ReceivedMessage,
): Promise<void> {
  const { channel, body, deliveryId, replyTo, name } = inbound;
  const consent = channel === 'sms' ? consentOf(body, given) : undefined;
  const isStop = consent === 'stop';
  const pending = isStop ? [] : files;
  return inTransaction(db, async (trx) => {
    if (userId !== undefined && (await findInbound(trx, orgId, inbound)) !== undefined) return;
    const from = channel === 'whatsapp' ? await numberOf(trx, orgId, inbound.from) : inbound.from;
    const number = from === userId ? undefined : from;
    const user = userId === undefined ? undefined : { channel, userId, number };
    const sender = user && (await (isReaction ? findUser : resolveUser)(trx, orgId, user));
    const id = newId();
    const message = {
      ...inbound,
      from,
      sender: sender ?? inbound.sender,
      id,
      isReply: !isStop && !isReaction,
      files: pending,
    };
    const contactId = await insertInboundMessage(trx, orgId, message);
    if (contactId === undefined) return;
    if (isReaction && (contactId === null || !(await hasSession(trx, orgId, { contactId, channel })))) return;
    if (isStop) {
      const optOut = { channel: 'sms', address: from, reason: 'unsubscribed' } as const;
      await insertSuppression(trx, orgId, { id: newId(), ...optOut });
      await suppressOtherAddresses(trx, orgId, optOut);
      return;
    }
    if (consent === 'start') await deleteUnsubscribe(trx, orgId, 'sms', from);
    if (pending.length > 0) {
      const subject = { subjectId: id, summary: `Fetch the files of a message by ${channel}` };
      await enqueue(trx, orgId, start(RECEIVE_INBOUND_FILES, { orgId, inboundMessageId: id }, subject));
      return;
    }
    const parts = { media, missing, isDescription, isReaction, isAutomated, inbox, isAuthentic };
    const { to, subject, cc } = inbound;
    const said = { subject, cc, body, replyTo, name };
    await addToSession(trx, orgId, { id, channel, contactId, from, to, deliveryId, ...said, ...parts });
  });
}

/** A sender by the channel's id. On WhatsApp a user may have a number as well. */
interface User {
  channel: Channel;
  userId: string;
  number: string | undefined;
}

/** Returns the contact of a user, and creates one if there is none. */
const resolveUser = (trx: Trx, orgId: string, { channel, userId, number }: User): Promise<string> =>
  isUserChannel(channel)
    ? resolveChannelUser(trx, orgId, { channel, userId })
    : resolveWhatsAppUser(trx, orgId, { userId, number });

/** Finds the contact of a user, and creates none. A contact with the number is found with the message. */
const findUser = async (trx: Trx, orgId: string, { channel, userId }: User): Promise<string | undefined> =>
  isUserChannel(channel)
    ? findContactOfChannelUser(trx, orgId, { channel, userId })
    : (await findContactOfUser(trx, orgId, userId))?.id;

/** Returns the number of WhatsApp's id: the one of a contact, else the valid one. The id of a user has no number. */
async function numberOf(trx: Trx, orgId: string, from: string): Promise<string> {
  if (!from.startsWith('+')) return from;
  const numbers = numbersOfWhatsAppId(from);
  return numbers.length === 1 ? from : ((await findContactNumber(trx, orgId, numbers)) ?? numbers[0] ?? from);
}

type AddedMessage = Pick<
  NewInboundMessage,
  'id' | 'channel' | 'from' | 'to' | 'subject' | 'cc' | 'body' | 'replyTo' | 'name'
> &
  MessageParts & { contactId: string | null; deliveryId: string | null | undefined };

/** Adds a received message to the contact's session, with its stored files, and with a line for each missing one. */
export async function addToSession(
  trx: Trx,
  orgId: string,
  {
    id,
    channel,
    contactId,
    from,
    to,
    body,
    deliveryId,
    media = [],
    missing = [],
    isDescription = false,
    ...more
  }: AddedMessage,
): Promise<void> {
  for (const file of media) await recordMedia(trx, file);
  const author = await addInboundMessage(trx, orgId, {
    id,
    channel,
    contactId,
    from,
    text: textWith(body, missing),
    attachments: media.map(attachmentOf),
    isUnreadable: isDescription || (body.trim() === '' && missing.length > 0),
    ...more,
    inReplyTo: deliveryId ?? undefined,
    thread: channel === 'slack' ? { channel, thread: to } : undefined,
  });
  if (contactId === null) await updateInboundContact(trx, orgId, id, author);
}
