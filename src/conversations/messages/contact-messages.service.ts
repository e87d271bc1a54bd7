import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import type { Announcement } from '../../outbox/events.ts';
import { CONTACT, SYSTEM } from '../../schemas/actor.ts';
import { reviewAssignee } from '../assignment/service.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import { ownWordsIn } from '../own-words/own-words.rules.ts';
import type { LockedSession } from '../queries.ts';
import { detectSessionLanguage } from '../sessions/language.service.ts';
import type { StoredAttachment } from './attachments.service.ts';

/** A text shown to the contact before the conversation. */
export interface Greeting {
  id: string;
  text: string;
}

export interface ContactMessage {
  /** Unique in the org. */
  id: string;
  /** Whether the id was made in this transaction. */
  isNew?: boolean;
  text: string;
  attachments?: StoredAttachment[] | undefined;
  /** Whether the text is not the contact's: it only names the sent or missing content. The AI does not read it. */
  isUnreadable?: boolean | undefined;
  /** Whether it asks for no answer: it is stored without further effects, like a blocked contact's message. */
  isQuiet?: boolean | undefined;
  /** The name given by the sender. */
  name?: string | undefined;
  avatarUrl?: string | undefined;
  /** The reply address given by the sender of an e-mail, if it is another one. */
  replyTo?: string | undefined;
  /** The subject of an e-mail, and who else has it. */
  subject?: string | undefined;
  cc?: string[] | undefined;
  /** The client's facts about the contact's visit. */
  clientContext?: Record<string, unknown> | undefined;
  /** Whether a program must not answer it. */
  isAutomated?: boolean | undefined;
  /** Whether it is an e-mail that was forwarded. */
  isForwarded?: boolean | undefined;
  /** Stored before the message. Only the contact's client says they were shown, so they belong to the system. */
  greetings?: Greeting[];
  /** Whether the contact is blocked, if the caller knows. */
  isBlocked?: boolean | undefined;
}

/**
 * Adds a contact's message to a locked session and reopens a closed one. A blocked contact's message is stored without
 * further effects, and so is a quiet one. A second message with the same id changes nothing. Returns whether this is the
 * first.
 */
export async function addContactMessage(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  message: ContactMessage,
): Promise<boolean> {
  const { ownWords, firstLanguage, isIgnored } = await readMessage(trx, orgId, session, message);
  const isReopened = session.status !== 'open' && !isIgnored;
  const greetings = message.greetings ?? [];
  const added = await changeSession(trx, orgId, session, {
    ...(isReopened && reopeningOf(session)),
    events: [
      ...greetings.map(greetingEventOf),
      ...(isReopened ? [reopeningEventOf(session)] : []),
      messageEventOf(message, { ownWords, isIgnored }),
    ],
    announced: isIgnored ? [] : replyOf(session),
    areNew: message.isNew === true && greetings.length === 0,
    firstLanguage,
  });
  if (added && isReopened) {
    await reviewAssignee(trx, orgId, session);
    await announce(trx, orgId, [{ type: 'ticket-reopened', subject_id: session.id, payload: { reflects: true } }]);
  }
  return added;
}

/** The known facts of a message before it is stored. */
interface ReadMessage {
  ownWords: string | undefined;
  /** The language of the words, for a session without one. */
  firstLanguage: string | undefined;
  /** Whether the message has no further effects. */
  isIgnored: boolean;
}

async function readMessage(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  { text, isUnreadable = false, isQuiet = false, isBlocked: known, isForwarded }: ContactMessage,
): Promise<ReadMessage> {
  const ownWords = isUnreadable ? undefined : ownWordsIn(session.channel, text, { isForwarded });
  const mayRevealLanguage = session.language === null && !isUnreadable;
  const firstLanguage = mayRevealLanguage
    ? await detectSessionLanguage(trx, orgId, session, ownWords ?? text)
    : undefined;
  const isIgnored = isQuiet || (known ?? (await isContactBlocked(trx, orgId, session.contact_id)));
  return { ownWords, firstLanguage, isIgnored };
}

/** Returns the changes of a session by reopening. Without a handoff, its next turn reads the org's rule. */
const reopeningOf = ({ last_seq, handoff }: LockedSession) => ({
  status: 'open' as const,
  custom_status_id: null,
  isClosed: false,
  session_closed_payload: null,
  ai_context_seq: last_seq,
  ...(handoff === null && { ai_state: 'off' as const, ai_closure_type: null }),
});

const reopeningEventOf = ({ status }: LockedSession): SessionEvent => ({
  id: newId(),
  type: 'status_changed',
  actor: CONTACT,
  data: { from: status, to: 'open', custom_status_id: null },
});

const greetingEventOf = ({ id, text }: Greeting): SessionEvent => ({
  id,
  type: 'message',
  sender: 'system',
  actor: SYSTEM,
  content: text,
  data: { is_greeting: true },
  isIgnored: true,
});

/** Returns a contact's message as an event of its session. */
export function messageEventOf(
  message: ContactMessage,
  { ownWords, isIgnored }: { ownWords: string | undefined; isIgnored: boolean },
): SessionEvent {
  const { id, text, attachments = [], isUnreadable, name, avatarUrl, clientContext, isAutomated } = message;
  const { replyTo, subject = '', cc = [] } = message;
  const data = {
    sender_name: name,
    sender_avatar_url: avatarUrl,
    reply_to: replyTo,
    ...(subject !== '' && { subject }),
    ...(cc.length > 0 && { cc }),
    ...(attachments.length > 0 && { attachments }),
    ...(isUnreadable === true && { unreadable: true }),
    client_context: clientContext,
    ...(isAutomated === true && { is_automated: true }),
    ...(isIgnored && { is_ignored: true }),
  };
  const own = { own_words: ownWords, relayTo: 'agents' as const, isIgnored };
  return { id, type: 'message', sender: 'contact', content: text, data, ...own };
}

const replyOf = ({ channel, contact_id }: LockedSession): Announcement[] =>
  contact_id === null ? [] : [{ type: 'contact-replied', subject_id: contact_id, payload: { channel } }];
