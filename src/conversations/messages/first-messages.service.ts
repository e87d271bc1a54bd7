import { listContactsById } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import { detectLanguage } from '../../languages/detection.ts';
import { isForward, ownWordsIn } from '../own-words/own-words.rules.ts';
import { lockConversations } from '../queries.ts';
import { lockSession, openSessions } from '../sessions/service.ts';
import { addContactMessage, messageEventOf } from './contact-messages.service.ts';
import { appendFirstMessages, type FirstEvent } from './first-messages.queries.ts';
import { fillName, type InboundMessage, type Sender } from './inbound.service.ts';

const CHANNEL = 'email';

/** An e-mail that opens a session. Its words are read before the transaction, as that takes a while. */
export interface FirstMessage
  extends Pick<
    InboundMessage,
    'id' | 'from' | 'text' | 'name' | 'replyTo' | 'subject' | 'cc' | 'isAutomated' | 'isAuthentic'
  > {
  contact: Sender;
  words: ReadWords;
}

interface ReadWords {
  own: string | undefined;
  language: string | undefined;
}

/** Finds the sender's own words in an e-mail, and their language. */
export async function readWords({ text, subject }: { text: string; subject: string | undefined }): Promise<ReadWords> {
  const own = ownWordsIn(CHANNEL, text, { isForwarded: isForward(subject) });
  return { own, language: await detectLanguage(own ?? text) };
}

/**
 * Opens a session for each of several e-mails to inboxes, like `addInboundMessage` does for one. Their ids are new, and all
 * have a text.
 */
export async function openWithMessages(trx: Trx, orgId: string, messages: FirstMessage[]): Promise<void> {
  const known = await lockKnown(trx, orgId, messages);
  const added = messages.map((message) => {
    const { contact, from, isAuthentic = false, words } = message;
    const isOwn = contact.isNew || known.get(contact.id)?.email === from;
    return { ...message, contactId: contact.id, verified: isOwn && isAuthentic, language: words.language };
  });
  for (const { contactId, from, name } of added)
    if (name !== undefined && known.get(contactId)?.name === null)
      await fillName(trx, orgId, { contactId, channel: CHANNEL, from, name });
  const sessions = await openSessions(trx, orgId, CHANNEL, added); // other sessions of the org wait from here on
  const first: FirstEvent[] = [];
  for (const [nth, { id: sessionId, isBlocked }] of sessions.entries()) {
    const message = added[nth] as (typeof added)[0];
    const { own } = message.words;
    const { id, content = '', data = {} } = messageEventOf(message, { ownWords: own, isIgnored: false });
    if (!isBlocked) first.push({ session_id: sessionId, id, content, own_words: own, data });
    else await addContactMessage(trx, orgId, await lockSession(trx, orgId, sessionId), { ...message, isBlocked });
  }
  if (first.length > 0) await appendFirstMessages(trx, orgId, first);
}

/** Serializes the e-mails of the contacts that others see too, and returns these contacts by their ids. */
async function lockKnown(trx: Trx, orgId: string, messages: FirstMessage[]) {
  const ids = messages.flatMap(({ contact }) => (contact.isNew ? [] : contact.id));
  if (ids.length > 0) await lockConversations(trx, orgId, ids);
  const contacts = ids.length === 0 ? [] : await listContactsById(trx, orgId, ids);
  return new Map(contacts.map((contact) => [contact.id, contact]));
}
