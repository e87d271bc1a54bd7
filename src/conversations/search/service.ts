import { findContactsLike } from '../../contacts/search/text-search.service.ts';
import type { Db } from '../../db/connect.ts';
import { findTextQuery } from '../../db/text-search.ts';
import { listStemmedLanguages, searchMessages, searchMessagesOfContact } from './queries.ts';
import type { SearchSessions } from './schema.ts';

const MAX_MESSAGES = 50;
/** Shorter prefixes match too many words. */
const MIN_PREFIX_LENGTH = 4;

/** Finds the contacts, messages and notes of the org containing the words. */
export async function searchSessions(db: Db, orgId: string, { q, contact_id }: SearchSessions) {
  const query = await findTextQuery(db, q, {
    languages: await listStemmedLanguages(db, orgId),
    openFrom: MIN_PREFIX_LENGTH,
  });
  if (query === undefined) return { contacts: [], messages: [], has_more_messages: false };
  const [contacts, messages] = await Promise.all([
    findContactsLike(db, orgId, q, contact_id),
    contact_id === undefined
      ? searchMessages(db, orgId, query, MAX_MESSAGES + 1)
      : searchMessagesOfContact(db, orgId, contact_id, { query, limit: MAX_MESSAGES + 1 }),
  ]);
  return { contacts, messages: messages.slice(0, MAX_MESSAGES), has_more_messages: messages.length > MAX_MESSAGES };
}
