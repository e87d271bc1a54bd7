import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';

/** The number of candidates compared for each kind of match. */
const MAX_CANDIDATES = 200;

const TEXT = sql`public.contact_text(name, email, phone_number)`;

export interface ContactText {
  /** A tsquery. */
  words: string;
  /** A text found anywhere in a name or address, ready for LIKE except for its percent signs. */
  part: string | undefined;
  /** Digits of a phone number in any spelling. */
  digits: string | undefined;
  contactId: string | undefined;
}

/**
 * Returns contacts with the words or the part in their name, e-mail or phone number. If there are none, returns
 * similarly spelled ones.
 */
export async function searchContactTexts(
  db: Db,
  orgId: string,
  { words, part, digits, contactId }: ContactText,
  limit: number,
) {
  const place = sql`org_id = ${orgId}${contactId === undefined ? sql`` : sql` and id = ${contactId}`}`;
  const some = sql`limit ${sql.raw(String(MAX_CANDIDATES))}`;
  const plain = sql`btrim(public.plain_text(${part ?? ''}::text))`;
  const byWords = sql`select id from contacts where ${place} and public.search_vector(null, ${TEXT}) @@ ${words}::tsquery ${some}`;
  // One word is more alike than a part of a word: where as many have it as are compared, no part is looked for.
  const isWord = part !== undefined && !/\s/.test(part.trim());
  const areFew = isWord ? sql`(select count(*) from by_words) < ${sql.raw(String(MAX_CANDIDATES))} and ` : sql``;
  const found = [sql`(select id from by_words)`];
  if (part !== undefined)
    found.push(sql`(select id from contacts where ${areFew}${place} and ${TEXT} like '%' || ${plain} || '%' ${some})`);
  if (digits !== undefined)
    found.push(sql`(select id from contacts where ${place} and ${TEXT} like '%' || ${digits}::text || '%' ${some})`);
  const alike =
    part === undefined
      ? sql``
      : sql`union select id from (select id from contacts where ${place} and ${TEXT} %> ${plain} ${some}) as alike
        where not exists (select from found)`;
  const { rows } = await sql<{ id: string; name: string | null; email: string | null; phone: string | null }>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    with by_words as materialized (${byWords}), found as materialized (${sql.join(found, sql` union `)}), hit as (select id from found ${alike})
    select id, name, email, phone_number as phone from contacts
    where org_id = ${orgId} and id in (select id from hit)
    order by public.word_similarity(${plain}, ${TEXT}) desc, name, id
    limit ${limit}
  `.execute(db);
  return rows;
}
