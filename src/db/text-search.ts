import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';
import { parseQuery, type Term } from './text-search.rules.ts';

interface Options {
  /** Languages used for stems and stop words, in addition to the words as written. Each has a configuration. */
  languages?: string[];
  /** Minimum length of the last word for a match as a prefix, in letters. */
  openFrom: number;
}

/**
 * Returns a search as the text of a tsquery, for columns written by `search_vector`. All values are bound. Returns
 * undefined if the search is empty or only excludes words.
 */
export async function findTextQuery(
  db: Db,
  text: string,
  { languages = [], openFrom }: Options,
): Promise<string | undefined> {
  const { groups } = parseQuery(text, { openFrom });
  if (groups.length === 0) return undefined;
  const whole = (compile: (term: Term) => RawBuilder<unknown>) =>
    joinQueries(
      groups.map((terms) => joinQueries(terms.map(compile), '&&')),
      '||',
    );
  const { rows } = await sql<{ query: string }>`
    with asked as (select ${whole((term) => distinctiveQuery(term, languages))} as telling, ${whole((term) => termQuery(term, languages))} as full_text)
    select query::text from asked, lateral (select case when numnode(telling) > 0 then telling else full_text end as query) as chosen
    where querytree(query) not in ('', 'T')
  `.execute(db);
  return rows[0]?.query;
}

/** Returns an empty query for a stop word of one of the languages, such as "the". */
function distinctiveQuery(term: Term, languages: string[]): RawBuilder<unknown> {
  if (term.isExact || term.isExcluded || term.words === '' || languages.length === 0) return termQuery(term, languages);
  const stems = languages.map((code) => sql`numnode(${stemOf(term, code)}) = 0`);
  return sql`case when ${sql.join(stems, sql` or `)} then '' else ${termQuery(term, languages)} end`;
}

function termQuery(term: Term, languages: string[]): RawBuilder<unknown> {
  const { words, pairs, isExact, isExcluded, isOpen } = term;
  const exact = sql`phraseto_tsquery('pg_catalog.simple', ${plain(words)})::text`;
  const stems = isExact ? [] : languages.map((code) => sql`${stemOf(term, code)}::text`);
  const beginning = isOpen ? [sql`nullif(${exact}, '') || ':*'`] : [];
  const alternatives = sql`(
    select coalesce(string_agg(distinct '(' || one || ')', '|'), '')::tsquery
    from unnest(array[${sql.join([exact, ...stems, ...beginning])}]) as one where one <> ''
  )`;
  const whole = joinQueries([...(words === '' ? [] : [alternatives]), ...pairs.map(pairQuery)], '&&');
  return isExcluded ? sql`!! ${whole}` : whole;
}

const plain = (words: string) => sql`public.plain_text(${words}::text)`;

const stemOf = ({ words }: Term, language: string) =>
  sql`plainto_tsquery(public.search_config(${language}), ${plain(words)})`;

const pairQuery = (pair: string) =>
  [...pair].length === 1
    ? sql`(quote_literal(${pair}::text) || ':*')::tsquery`
    : sql`quote_literal(${pair}::text)::tsquery`;

const joinQueries = (parts: RawBuilder<unknown>[], operator: '&&' | '||'): RawBuilder<unknown> =>
  parts.length === 0 ? sql`''::tsquery` : sql`(${sql.join(parts, sql.raw(` ${operator} `))})`;
