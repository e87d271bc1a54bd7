import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { isUserChannel } from '../../contacts/channel-users/channels.rules.ts';
import { updateContact } from '../../contacts/saving/service.ts';
import { getContact, resolveContacts } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { newId } from '../../ids.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { changeSession, recordEvents } from '../change-session.service.ts';
import { isForward } from '../own-words/own-words.rules.ts';
import {
  findCurrentSessionForUpdate,
  findSessionForUpdate,
  findSessionOfMessage,
  type LockedSession,
  lockConversation,
} from '../queries.ts';
import { applySessionUpdate, assignSession } from '../sessions/actions.service.ts';
import { lockSession, openSession } from '../sessions/service.ts';
import { findSessionOfThread, insertThread, type ThreadRef } from '../threads/shared.queries.ts';
import type { StoredAttachment } from './attachments.service.ts';
import { addContactMessage } from './contact-messages.service.ts';
import { isRepeatedAnswer } from './repeated-answers.service.ts';

const REOPENING = { status: 'open', reflect_status_change_for_integration: true } as const;

type ProviderChannel = Exclude<SessionChannel, 'web' | 'api' | 'phone_voice' | 'web_voice'> | 'voice';

/** The known facts of a provider's message before it is read. */
export interface InboundEnvelope {
  channel: ProviderChannel;
  /** Null if no contact has the address: one is then created. */
  contactId: string | null;
  /** An e-mail address in lower case, a number as E.164, or the channel's id of a user. */
  from: string;
  /** The message it replies to, if it names one. */
  inReplyTo?: string | undefined;
  /** Of an e-mail to an inbox. */
  inbox?: InboxOrigin | undefined;
  /** Its thread, if threads are sessions. */
  thread?: ThreadRef | undefined;
  /** Of an e-mail: whether it is proven to be from its sender. */
  isAuthentic?: boolean | undefined;
}

/** The session continued by an e-mail to an inbox. If undefined, it opens one in the team. */
export interface InboxOrigin {
  sessionId: string | undefined;
  teamId: string | null;
}

export interface InboundMessage extends InboundEnvelope {
  id: string;
  text: string;
  /** Its files. Their rows are inserted. */
  attachments?: StoredAttachment[];
  /** Whether the text only names the sent or missing content. */
  isUnreadable?: boolean;
  /** Whether it is a mere reaction, without need of an answer. */
  isReaction?: boolean | undefined;
  /** Whether a program must not answer it. */
  isAutomated?: boolean | undefined;
  /** Of an e-mail. */
  subject?: string | undefined;
  /** Of an e-mail: who else has it, without us. */
  cc?: string[] | undefined;
  /** The name given by the sender. */
  name?: string | undefined;
  /** The reply address given by the sender of an e-mail, if it is another one. */
  replyTo?: string | undefined;
}

/**
 * Adds a message received from a provider to the session of the message it replies to, else to the contact's current
 * session on the channel, or else its newest one. Opens one if there is none. An e-mail to an inbox continues only the
 * session named by its origin, and a message in a thread only the thread's session. Returns the contact.
 */
export async function addInboundMessage(
  trx: Trx,
  orgId: string,
  {
    id,
    text,
    attachments,
    isUnreadable,
    isReaction,
    isAutomated = false,
    subject,
    cc,
    name,
    replyTo,
    ...envelope
  }: InboundMessage,
): Promise<string> {
  const { session, contactId } = await lockSessionOf(trx, orgId, { ...envelope, name });
  const isRepeated = envelope.channel === 'email' && (await isRepeatedAnswer(trx, orgId, session.id, text));
  const isQuiet = isReaction === true;
  const isStrangers = contactId !== session.contact_id;
  const message = {
    id,
    text,
    attachments,
    isUnreadable,
    isQuiet,
    isAutomated: isAutomated || isRepeated,
    isForwarded: isForward(subject),
    subject,
    cc,
    name,
    replyTo: isStrangers ? undefined : replyTo, // an answer goes to the contact
    isBlocked: isStrangers ? await isContactBlocked(trx, orgId, contactId) : undefined,
  };
  await addContactMessage(trx, orgId, session, message);
  if (name !== undefined) await fillName(trx, orgId, { ...envelope, contactId, name });
  return contactId;
}

/** Whether a contact has a session on a channel, as a possible place of a message without a question. */
export async function hasSession(
  trx: Trx,
  orgId: string,
  { contactId, channel }: { contactId: string; channel: ProviderChannel },
): Promise<boolean> {
  const on: SessionChannel = channel === 'voice' ? 'phone_voice' : channel;
  return (await findCurrentSessionForUpdate(trx, orgId, contactId, on)) !== undefined;
}

/** Gives a contact without a name the one of a message, if it came from the contact's own address. */
export async function fillName(
  trx: Trx,
  orgId: string,
  { contactId, name, channel, from }: Pick<InboundEnvelope, 'channel' | 'from'> & { contactId: string; name: string },
): Promise<void> {
  const contact = await getContact(trx, orgId, contactId);
  const address = channel === 'email' ? contact.email : contact.phone_number;
  const isOwn = address === from || (channel === 'whatsapp' && address === null) || isUserChannel(channel);
  if (contact.name === null && isOwn && name.toLowerCase() !== from)
    await updateContact(trx, orgId, contactId, { name });
}

/**
 * Adds a note about an unreadable message to its session, found as by addInboundMessage. Reopens a closed one: somebody
 * has to ask the contact.
 */
export async function addUnreadableMessage(
  trx: Trx,
  orgId: string,
  envelope: InboundEnvelope,
  note: string,
): Promise<void> {
  const { session, contactId } = await lockSessionOf(trx, orgId, envelope);
  await recordEvents(trx, orgId, session.id, [{ id: newId(), type: 'human_agent_comment', content: note }]);
  if (session.status !== 'open' && !(await isContactBlocked(trx, orgId, contactId)))
    await applySessionUpdate(trx, orgId, session.id, REOPENING);
}

async function lockSessionOf(
  trx: Trx,
  orgId: string,
  {
    channel,
    inReplyTo,
    inbox,
    thread,
    isAuthentic = false,
    name,
    ...message
  }: InboundEnvelope & Pick<InboundMessage, 'name'>,
): Promise<{ session: LockedSession; contactId: string }> {
  const [sender] =
    message.contactId === null ? await resolveSenders(trx, orgId, channel, [{ from: message.from, name }]) : [];
  const contactId = (message.contactId ?? sender?.id) as string;
  if (thread !== undefined) return { session: await lockSessionOfThread(trx, orgId, contactId, thread), contactId };
  const on: SessionChannel = channel === 'voice' ? 'phone_voice' : channel;
  await lockConversation(trx, orgId, contactId);
  const origin = { contactId, channel: on };
  const isOwn = isAuthentic && (await getContact(trx, orgId, contactId)).email === message.from;
  const found =
    inbox === undefined
      ? ((inReplyTo === undefined ? undefined : await findSessionOf(trx, orgId, inReplyTo, origin)) ??
        (await findCurrentSessionForUpdate(trx, orgId, contactId, on)))
      : inbox.sessionId && (await findSessionForUpdate(trx, orgId, inbox.sessionId));
  if (found) return { session: isOwn ? found : await withoutVerification(trx, orgId, found), contactId };
  const verified = on === 'email' ? isOwn : null;
  const session = await lockSession(trx, orgId, (await openSession(trx, orgId, { ...origin, verified })).id);
  return { session: await inTeam(trx, orgId, session, inbox?.teamId ?? null), contactId };
}

/** Locks the session of a thread. Opens one for the contact if the thread is new. */
async function lockSessionOfThread(
  trx: Trx,
  orgId: string,
  contactId: string,
  { channel, thread }: ThreadRef,
): Promise<LockedSession> {
  await lockName(trx, `thread ${orgId} ${channel} ${thread}`);
  const found = await findSessionOfThread(trx, orgId, { channel, thread });
  if (found !== undefined) return lockSession(trx, orgId, found);
  const { id: sessionId } = await openSession(trx, orgId, { contactId, channel });
  await insertThread(trx, orgId, { channel, thread, sessionId });
  return lockSession(trx, orgId, sessionId);
}

/** Takes the verification from a session by e-mail: one of its messages may be from somebody else. */
async function withoutVerification(trx: Trx, orgId: string, session: LockedSession): Promise<LockedSession> {
  if (session.channel !== 'email' || session.verified !== true) return session;
  await changeSession(trx, orgId, session, { verified: false });
  return { ...session, verified: false };
}

/** Puts a new session into a team's queue. The AI answers first if it is on. */
async function inTeam(trx: Trx, orgId: string, session: LockedSession, teamId: string | null): Promise<LockedSession> {
  if (teamId === null) return session;
  await assignSession(trx, orgId, session.id, {
    team_id: teamId,
    ...(session.ai_state === 'on' && { assignee_id: null }),
  });
  return lockSession(trx, orgId, session.id);
}

/** Finds the session of a message and locks it, if it is with this contact on this channel. */
async function findSessionOf(
  trx: Trx,
  orgId: string,
  messageId: string,
  { contactId, channel }: { contactId: string; channel: SessionChannel },
): Promise<LockedSession | undefined> {
  const found = await findSessionOfMessage(trx, orgId, messageId);
  const session = found && (await findSessionForUpdate(trx, orgId, found.id));
  return session?.contact_id === contactId && session.channel === channel ? session : undefined;
}

export interface Sender {
  id: string;
  /** Whether this transaction has created the contact. Nobody else sees it yet. */
  isNew: boolean;
}

/** Returns the contacts of messages, in order. Addresses without one become contacts. */
export async function resolveSenders(
  trx: Trx,
  orgId: string,
  channel: ProviderChannel,
  senders: Pick<InboundMessage, 'from' | 'name'>[],
): Promise<Sender[]> {
  const refs = senders.map(({ from }) => (channel === 'email' ? { email: from } : { phone_number: from }));
  return (await resolveContacts(trx, orgId, refs, namesOf(senders))).map(({ contactId: id, isNew }) => {
    if (id === undefined) throw new Error('The sender of a message has no contact');
    return { id, isNew };
  });
}

/** Returns the names that senders have given themselves, by their addresses. A name that only repeats the address is none. */
const namesOf = (senders: Pick<InboundMessage, 'from' | 'name'>[]): Map<string, string> =>
  new Map(
    senders.flatMap(({ from, name }) => (name === undefined || name.toLowerCase() === from ? [] : [[from, name]])),
  );
