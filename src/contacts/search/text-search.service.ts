import type { Db } from '../../db/connect.ts';
import { findTextQuery } from '../../db/text-search.ts';
import { searchContactTexts } from './text-search.queries.ts';

const MAX_CONTACTS = 20;
const MIN_PREFIX_LENGTH = 2;
const MIN_DIGITS = 4;
/** Three letters or digits in a row are what the index has of a text's insides. */
const PART = /[a-z0-9]{3}/i;
const PHONE = /^[\s+()./-]*[0-9][0-9\s+()./-]{3,}$/;

/** The org's contacts whose name or addresses hold a text, the most alike first. */
export async function findContactsLike(db: Db, orgId: string, text: string, contactId: string | undefined) {
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
  return searchContactTexts(db, orgId, about, MAX_CONTACTS);
}
