import { isAutopilotOnAnywhere } from '../../autopilot/service.ts';
import { blockedContactIn } from '../../contacts/blocklist/service.ts';
import { findChannelUserId } from '../../contacts/channel-users/service.ts';
import { saveContact, updateContact } from '../../contacts/saving/service.ts';
import { getContact } from '../../contacts/service.ts';
import { findWhatsAppUserId } from '../../contacts/whatsapp-users/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pipelined } from '../../db/connections/pipeline.ts';
import { hasFastPaths } from '../../db/fast-paths.ts';
import { inTransaction } from '../../db/transaction.ts';
import { Undeliverable } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { keepMedia, type Media } from '../../media/service.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import { lockMember } from '../../orgs/members/service.ts';
import { reassign } from '../assignment/service.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import { takeSentDraft } from '../composing/drafts.service.ts';
import type { DeliveriesPort, ReplyFile } from '../deliveries.port.ts';
import { startHandoff } from '../handoff/service.ts';
import { assertSeen } from '../history/service.ts';
import type { LockedSession } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import { findThreadOfSession } from '../threads/shared.queries.ts';
import {
  type AddressedChannel,
  addressRefusal,
  channelRefusal,
  connectionRefusal,
  goesToAddress,
  isRelayedToCustomer,
  NO_CONTACT,
  needsConnection,
} from '../transport.rules.ts';
import { attachmentOf } from './attachments.service.ts';
import { addContactMessage } from './contact-messages.service.ts';
import { addPlainMessage } from './plain-messages.service.ts';
import type { SendMessage } from './schema.ts';
import { findMessageTerms, type MessageTerms } from './shared.queries.ts';

export interface SendResult {
  id: string;
  isHandedOff: boolean;
  /** Whether the AI may answer. */
  mayBeAnswered: boolean;
}

export interface NewMessage extends SendMessage {
  /** The signed-in sender. The sender's draft with the same text is sent by it. */
  memberId?: number | undefined;
  /** The message's files, already in storage. Their rows are inserted with the message. */
  files: Media[];
}

export interface SendingDeps {
  mediaLinks: MediaLinks;
  /** Whether e-mail may be sent from any domain. */
  isDevelopment: boolean;
  deliveries: Pick<DeliveriesPort, 'requestReply'>;
}

/**
 * Adds a message of a contact or an agent to a session. A contact's message reopens a closed session. An agent may take
 * the session over from the AI, and an agent's message on e-mail, SMS or WhatsApp is sent there. Throws notFound,
 * conflict or invalid if it cannot be sent, and changed for a draft not as expected.
 */
export async function sendMessage(
  db: Db,
  deps: SendingDeps,
  orgId: string,
  sessionId: string,
  said: NewMessage,
): Promise<SendResult> {
  const sent =
    hasFastPaths(db) && isPlain(said) ? await sendPlainly(db, orgId, sessionId, said.message.text) : undefined;
  if (sent !== undefined) return sent;
  return inTransaction(db, async (trx) => {
    const { session, terms } = await lockForMessage(trx, deps, orgId, { ...said, sessionId });
    return terms === undefined
      ? sendAsAgent(trx, deps, orgId, { session, ...said })
      : sendAsContact(trx, orgId, session, { ...said, terms });
  });
}

/** Returns whether a message is a contact's text without anything else. */
const isPlain = ({ sender, contact, files, expected_last_id }: NewMessage): boolean =>
  sender === 'contact' && contact === undefined && files.length === 0 && expected_last_id === undefined;

/** Adds a plain message. Returns undefined, and changes nothing, if it is not simply the next one of an open session. */
async function sendPlainly(db: Db, orgId: string, sessionId: string, text: string): Promise<SendResult | undefined> {
  const appended = await addPlainMessage(db, orgId, sessionId, text);
  return (
    appended && {
      id: appended.message_id,
      isHandedOff: appended.is_handed_off,
      mayBeAnswered: appended.has_autopilot,
    }
  );
}

/** Locks the session of a message, and records its files. Returns the terms of a contact's message with the session. */
async function lockForMessage(
  trx: Trx,
  deps: SendingDeps,
  orgId: string,
  { sessionId, sender, files, expected_last_id }: NewMessage & { sessionId: string },
) {
  const reading = await pipelined(trx);
  const [session, terms] = await Promise.all([
    lockSession(reading, orgId, sessionId),
    sender === 'contact' ? readMessageTerms(reading, orgId, sessionId) : undefined,
  ]);
  if (expected_last_id !== undefined)
    await assertSeen(trx, deps.mediaLinks, orgId, { sessionId, lastSeenId: expected_last_id });
  await keepMedia(trx, orgId, files);
  return { session, terms };
}

const readMessageTerms = (trx: Trx, orgId: string, sessionId: string) =>
  findMessageTerms(trx, orgId, sessionId, {
    isBlocked: blockedContactIn(orgId, 'session.contact_id'),
    hasAutopilot: isAutopilotOnAnywhere(orgId),
  });

async function sendAsContact(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  { contact, message, files, terms }: NewMessage & { terms: MessageTerms },
): Promise<SendResult> {
  const id = newId();
  const attachments = files.map(attachmentOf);
  const by = { name: contact?.name, avatarUrl: contact?.avatar_url };
  const contactId =
    contact === undefined ? session.contact_id : await updateContactDetails(trx, orgId, session, contact);
  await addContactMessage(
    trx,
    orgId,
    { ...session, contact_id: contactId },
    {
      id,
      isNew: true,
      text: message.text,
      attachments,
      ...by,
      isBlocked: contact === undefined ? terms.is_blocked : undefined,
    },
  );
  return { id, isHandedOff: session.handoff !== null, mayBeAnswered: terms.has_autopilot };
}

/** Adds a message of an agent to a locked session, and sends it on the session's channel. */
export async function sendAsAgent(
  trx: Trx,
  deps: SendingDeps,
  orgId: string,
  {
    session,
    agent,
    message,
    files,
    should_take_over_session_from_ai,
    copies,
    memberId,
    draft_updated_at: expected,
  }: NewMessage & { session: LockedSession },
): Promise<SendResult> {
  await takeSentDraft(trx, orgId, {
    sessionId: session.id,
    userId: memberId,
    kind: 'reply',
    text: message.text,
    expected,
  });
  const takesOver = should_take_over_session_from_ai && session.handoff === null;
  const id = newId();
  await deliverToChannel(trx, deps, orgId, {
    session,
    id,
    text: message.text,
    files,
    isAutoReply: false,
    isForContactAlone: copies === false,
  });
  const data = {
    sender_id: agent?.id,
    sender_name: agent?.name,
    sender_avatar_url: agent?.avatar_url,
    ...(files.length > 0 && { attachments: files.map(attachmentOf) }),
  };
  const takeover: SessionEvent[] = takesOver
    ? [{ id: newId(), type: 'human_agent_takeover', data: { sender_id: agent?.id ?? null } }]
    : [];
  await changeSession(trx, orgId, session, {
    events: [
      ...takeover,
      { id, type: 'message', sender: 'human_agent', content: message.text, data, relayTo: 'customer' },
    ],
  });
  if (should_take_over_session_from_ai) await takeOverSession(trx, orgId, session, agent?.id);
  return { id, isHandedOff: takesOver || session.handoff !== null, mayBeAnswered: false };
}

/** A message of the agents' side, on its way to the contact. */
export interface ChannelMessage {
  session: LockedSession;
  id: string;
  text: string;
  files: Media[];
  /** Whether the AI or a workflow wrote it, and no person. */
  isAutoReply: boolean;
  /** Whether the conversation does without it: it goes to the contact alone, unless they have opted out. */
  isOptional?: boolean;
  /** Whether others of an e-mail's thread do not get it. */
  isForContactAlone?: boolean;
}

/**
 * Sends a message through the provider of the session's channel, if there is one, with its files. The delivery has the
 * id of the message. Sends nothing if another system serves the customer's side, and in the web and api channels, as
 * their clients read. Throws Undeliverable for a channel without a way to send, and for a contact without an address
 * there.
 */
export async function deliverToChannel(
  trx: Trx,
  { mediaLinks, isDevelopment, deliveries }: SendingDeps,
  orgId: string,
  { session, id, text, files, ...kind }: ChannelMessage,
): Promise<void> {
  const { id: sessionId, channel, contact_id: contactId, ticket_number: ticketNumber, verified } = session;
  if (isRelayedToCustomer(session.relayed_side)) return;
  const refusal = channelRefusal(channel);
  if (refusal !== undefined) throw new Undeliverable('no_transport', refusal);
  if (!goesToAddress(channel)) return;
  await assertConnected(trx, orgId, channel, isDevelopment);
  if (contactId === null) throw new Undeliverable('no_address', NO_CONTACT);
  const to = await addressOf(trx, orgId, { sessionId, contactId, channel });
  if (to === undefined) throw new Undeliverable('no_address', addressRefusal(channel));
  await deliveries.requestReply(trx, orgId, {
    id,
    sessionId,
    channel,
    contactId,
    to,
    text,
    files: files.map((file) => replyFileOf(mediaLinks, file)),
    ticketNumber,
    ...kind,
    isVerified: verified === true,
    isDevelopment,
  });
}

/** Throws for a channel not connected yet by the org. */
async function assertConnected(
  trx: Trx,
  orgId: string,
  channel: AddressedChannel,
  isDevelopment: boolean,
): Promise<void> {
  if (isDevelopment || !needsConnection(channel) || (await listConnections(trx, orgId)).has(channel)) return;
  throw new Undeliverable('no_transport', connectionRefusal(channel));
}

const replyFileOf = (mediaLinks: MediaLinks, file: Media): ReplyFile => ({
  mediaId: file.id,
  name: file.file_name,
  mimeType: file.mime_type,
  size: file.size,
  url: mediaLinks.lastingLinkOf(file),
});

/**
 * Finds the address of a session's messages on its channel: the contact's, or the session's thread. On WhatsApp, a
 * contact without a number has WhatsApp's id of the user.
 */
async function addressOf(
  trx: Trx,
  orgId: string,
  { sessionId, contactId, channel }: { sessionId: string; contactId: string; channel: AddressedChannel },
): Promise<string | undefined> {
  if (channel === 'slack') return findThreadOfSession(trx, orgId, sessionId);
  if (channel === 'messenger' || channel === 'instagram') return findChannelUserId(trx, orgId, { channel, contactId });
  const { email, phone_number } = await getContact(trx, orgId, contactId);
  const address = (channel === 'email' ? email : phone_number) ?? undefined;
  return channel === 'whatsapp' ? (address ?? (await findWhatsAppUserId(trx, orgId, contactId))) : address;
}

/**
 * Stores a message's details of its contact: data is merged, a name is only added. A session without a contact gets the
 * one with the e-mail or phone number. Returns the session's contact.
 */
async function updateContactDetails(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  { name, email, phone_number: phone, custom_data }: NonNullable<SendMessage['contact']>,
): Promise<string | null> {
  const { contact_id: contactId } = session;
  if (contactId === null) {
    if (email === undefined && phone === undefined) return null;
    const saved = await saveContact(trx, orgId, { email, phone, name, custom_data });
    await changeSession(trx, orgId, session, { contact_id: saved.id });
    return saved.id;
  }
  const isNameNew = name !== undefined && name !== '' && (await getContact(trx, orgId, contactId)).name === null;
  if (isNameNew || custom_data !== undefined) {
    await updateContact(trx, orgId, contactId, { custom_data, ...(isNameNew ? { name } : {}) });
  }
  return contactId;
}

/** Hands the session off to agents. The agent becomes its assignee, if a member and if nobody else is. */
async function takeOverSession(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  agentId: number | undefined,
): Promise<void> {
  if (session.handoff === null) await startHandoff(trx, orgId, session, { reason: 'An agent took over' });
  const isFree = session.assignee_id === null && agentId !== undefined;
  if (!isFree || !Number.isSafeInteger(agentId) || !(await lockMember(trx, orgId, agentId))) return;
  await reassign(trx, orgId, session, { assignee_id: agentId, team_id: session.team_id, by: agentId });
}
