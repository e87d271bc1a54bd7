import type { Db } from '../../db/connect.ts';
import { findTextQuery } from '../../db/text-search.ts';
import { searchContactTexts } from './text-search.queries.ts';

const MAX_CONTACTS = 20;
const MIN_PREFIX_LENGTH = 2;
const MIN_DIGITS = 4;
/** The index finds the inside of a text only by three letters or digits in a row. */
const PART = /[a-z0-9]{3}/i;
const PHONE = /^[\s+()./-]*[0-9][0-9\s+()./-]{3,}$/;

/** Returns the org's contacts with a text in their name or addresses, the most similar first. */
export async function findContactsLike(
  db: Db,
  orgId: string,
  text: string,
  { contactId, limit = MAX_CONTACTS }: { contactId?: string | undefined; limit?: number } = {},
) {
  const words = await findTextQuery(db, text, { openFrom: MIN_PREFIX_LENGTH });
  if (words === undefined) return [];
  const digits = PHONE.test(text) ? text.replaceAll(/[^0-9]/g, '').replace(/^0+/, '') : '';
  const isPhone = digits.length >= MIN_DIGITS;
  const about = {
    words,
    part: !isPhone && PART.test(text) ? text : undefined,
    digits: isPhone ? digits : undefined,
    contactId,
  };
  return searchContactTexts(db, orgId, about, limit);
}
