import { findContactsLike } from '../../contacts/search/text-search.service.ts';
import type { Db } from '../../db/connect.ts';
import { findTextQuery } from '../../db/text-search.ts';
import { listStemmedLanguages, searchMessages, searchMessagesOfContact } from './queries.ts';
import type { SearchSessions } from './schema.ts';

const MAX_MESSAGES = 50;
/** Shorter prefixes match too many words. */
const MIN_PREFIX_LENGTH = 4;

const MAX_FOUND_MESSAGES = 500;

/** Finds the contacts with the words, and the sessions of the newest messages and notes with them. */
export async function findSessionsWith(
  db: Db,
  orgId: string,
  q: string,
): Promise<{ contactIds: string[]; sessionIds: string[] }> {
  const [query, contacts] = await Promise.all([queryOf(db, orgId, q), findContactsLike(db, orgId, q)]);
  const messages = query === undefined ? [] : await searchMessages(db, orgId, query, MAX_FOUND_MESSAGES);
  return {
    contactIds: contacts.map(({ id }) => id),
    sessionIds: [...new Set(messages.map(({ session_id }) => session_id))],
  };
}

/** Finds the contacts, messages and notes of the org containing the words. */
export async function searchSessions(db: Db, orgId: string, { q, contact_id }: SearchSessions) {
  const query = await queryOf(db, orgId, q);
  if (query === undefined) return { contacts: [], messages: [], has_more_messages: false };
  const [contacts, messages] = await Promise.all([
    findContactsLike(db, orgId, q, { contactId: contact_id }),
    contact_id === undefined
      ? searchMessages(db, orgId, query, MAX_MESSAGES + 1)
      : searchMessagesOfContact(db, orgId, contact_id, { query, limit: MAX_MESSAGES + 1 }),
  ]);
  return { contacts, messages: messages.slice(0, MAX_MESSAGES), has_more_messages: messages.length > MAX_MESSAGES };
}

/** Finds the newest messages and notes of the org containing the words. */
export async function findMessages(db: Db, orgId: string, q: string, limit: number) {
  const query = await queryOf(db, orgId, q);
  return query === undefined ? [] : searchMessages(db, orgId, query, limit);
}

const queryOf = async (db: Db, orgId: string, q: string): Promise<string | undefined> =>
  findTextQuery(db, q, { languages: await listStemmedLanguages(db, orgId), openFrom: MIN_PREFIX_LENGTH });
