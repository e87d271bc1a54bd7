import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import type { Announcement } from '../../outbox/events.ts';
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
  /** Whether the text is not the contact's: it only says what was sent, or what is missing. The AI does not read it. */
  isUnreadable?: boolean | undefined;
  /** The name given by the sender. */
  name?: string | undefined;
  avatarUrl?: string | undefined;
  /** The address that the sender of an e-mail wants answers at, if it is another one. */
  replyTo?: string | undefined;
  /** What the contact's client knows of the visit. */
  clientContext?: Record<string, unknown> | undefined;
  /** Whether a program must not answer it. */
  isAutomated?: boolean | undefined;
  /** Stored before the message. Only the contact's client says that they were shown, so they are of the system. */
  greetings?: Greeting[];
  /** Whether the contact is blocked, if the caller knows. */
  isBlocked?: boolean | undefined;
}

/**
 * Adds a contact's message to a locked session and reopens a closed one. A blocked contact's message is stored without
 * further effects. A second message with the same id changes nothing. Returns whether this is the first.
 */
export async function addContactMessage(
  trx: Trx,
  orgId: string,
  session: LockedSession,
  {
    id,
    text,
    attachments = [],
    isUnreadable = false,
    name,
    avatarUrl,
    replyTo,
    clientContext,
    isAutomated,
    greetings = [],
    isNew,
    ...known
  }: ContactMessage,
): Promise<boolean> {
  const mayRevealLanguage = session.language === null && !isUnreadable;
  const ownWords = isUnreadable ? undefined : ownWordsIn(session.channel, text);
  const firstLanguage = mayRevealLanguage
    ? await detectSessionLanguage(trx, orgId, session, ownWords ?? text)
    : undefined;
  const isBlocked = known.isBlocked ?? (await isContactBlocked(trx, orgId, session.contact_id));
  const isReopened = session.status !== 'open' && !isBlocked;
  const reopening: SessionEvent[] = isReopened
    ? [{ id: newId(), type: 'status_changed', data: { from: session.status, to: 'open', custom_status_id: null } }]
    : [];
  const data = {
    sender_name: name,
    sender_avatar_url: avatarUrl,
    reply_to: replyTo,
    ...(attachments.length > 0 && { attachments }),
    ...(isUnreadable && { unreadable: true }),
    client_context: clientContext,
    ...(isAutomated === true && { is_automated: true }),
    ...(isBlocked && { is_ignored: true }),
  };
  const greeted = greetings.map(
    (greeting): SessionEvent => ({
      id: greeting.id,
      type: 'message',
      sender: 'system',
      content: greeting.text,
      data: { is_greeting: true },
      isIgnored: true,
    }),
  );
  const message: SessionEvent = {
    id,
    type: 'message',
    sender: 'contact',
    content: text,
    own_words: ownWords,
    data,
    relayTo: 'agents',
    isIgnored: isBlocked,
  };
  const opened = isReopened
    ? {
        status: 'open' as const,
        custom_status_id: null,
        isClosed: false,
        session_closed_payload: null,
        ai_context_seq: session.last_seq,
        ...(session.handoff === null ? { ai_state: 'off' as const, ai_closure_type: null } : {}), // its next turn reads the org's rule
      }
    : {};
  const replied: Announcement[] =
    session.contact_id === null || isBlocked
      ? []
      : [{ type: 'contact-replied', subject_id: session.contact_id, payload: { channel: session.channel } }];
  const events = [...greeted, ...reopening, message];
  const areNew = isNew === true && greetings.length === 0;
  const change = { ...opened, events, announced: replied, areNew, firstLanguage };
  if (!(await changeSession(trx, orgId, session, change))) return false;
  if (isReopened) {
    await reviewAssignee(trx, orgId, session);
    await announce(trx, orgId, [{ type: 'ticket-reopened', subject_id: session.id, payload: { reflects: true } }]);
  }
  return true;
}
