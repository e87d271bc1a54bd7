import { listContactsById, resolveContacts } from '../../contacts/service.ts';
import type { Trx } from '../../db/connect.ts';
import { detectLanguage } from '../../languages/detection.ts';
import { ownWordsIn } from '../own-words/own-words.rules.ts';
import { lockConversations } from '../queries.ts';
import { lockSession, openSessions } from '../sessions/service.ts';
import { addContactMessage, messageEventOf } from './contact-messages.service.ts';
import { appendFirstMessages, type FirstEvent } from './first-messages.queries.ts';
import { fillName, type InboundMessage, namesOf } from './inbound.service.ts';

const CHANNEL = 'email';

/** An e-mail that opens a session. Its words are read before the transaction, as that takes a while. */
export type FirstMessage = Pick<
  InboundMessage,
  'id' | 'contactId' | 'from' | 'text' | 'name' | 'replyTo' | 'isAutomated' | 'isAuthentic'
> & { words: ReadWords };

interface ReadWords {
  own: string | undefined;
  language: string | undefined;
}

/** Finds the sender's own words in the text of an e-mail, and their language. */
export async function readWords(text: string): Promise<ReadWords> {
  const own = ownWordsIn(CHANNEL, text);
  return { own, language: await detectLanguage(own ?? text) };
}

/**
 * Opens a session for each of several e-mails to inboxes, like `addInboundMessage` does for one. Their ids are new, and all
 * have a text. Returns their contacts, in order.
 */
export async function openWithMessages(trx: Trx, orgId: string, messages: FirstMessage[]): Promise<string[]> {
  const contactIds = await resolveSenders(trx, orgId, messages);
  await lockConversations(trx, orgId, contactIds);
  const contacts = new Map((await listContactsById(trx, orgId, contactIds)).map((contact) => [contact.id, contact]));
  const added = messages.map((message, nth) => {
    const contactId = contactIds[nth] as string;
    const isOwn = contacts.get(contactId)?.email === message.from;
    return { ...message, contactId, verified: isOwn && message.isAuthentic === true, language: message.words.language };
  });
  const sessions = await openSessions(trx, orgId, CHANNEL, added);
  const first: FirstEvent[] = [];
  for (const [nth, { id: sessionId, isBlocked }] of sessions.entries()) {
    const message = added[nth] as (typeof added)[0];
    const { own } = message.words;
    const { id, content = '', data = {} } = messageEventOf(message, { ownWords: own, isIgnored: false });
    if (!isBlocked) first.push({ session_id: sessionId, id, content, own_words: own, data });
    else await addContactMessage(trx, orgId, await lockSession(trx, orgId, sessionId), { ...message, isBlocked });
  }
  if (first.length > 0) await appendFirstMessages(trx, orgId, first);
  for (const { contactId, from, name } of added)
    if (name !== undefined && contacts.get(contactId)?.name === null)
      await fillName(trx, orgId, { contactId, channel: CHANNEL, from, name });
  return contactIds;
}

/** Returns the contacts of messages, in order. Addresses without one become contacts. */
async function resolveSenders(trx: Trx, orgId: string, messages: FirstMessage[]): Promise<string[]> {
  const unknown = messages.filter(({ contactId }) => contactId === null);
  const refs = unknown.map(({ from }) => ({ email: from }));
  const resolved = refs.length === 0 ? [] : await resolveContacts(trx, orgId, refs, namesOf(unknown));
  const created = new Map(unknown.map(({ id }, nth) => [id, resolved[nth]?.contactId]));
  return messages.map(({ id, contactId }) => {
    const known = contactId ?? created.get(id);
    if (known === undefined) throw new Error('The sender of a message has no contact');
    return known;
  });
}
