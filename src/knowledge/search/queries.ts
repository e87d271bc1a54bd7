import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { itemsOfDeletedDatasources } from '../deleted-datasources.queries.ts';
import type { SourceType, Visibility } from '../index/items.schema.ts';
import { FREQUENCY_BITS, LENGTH_BITS } from '../index/postings.rules.ts';
import { B, type CorpusStatistics, K1 } from './bm25.rules.ts';
import type { SimilarWord, WordForm } from './query.rules.ts';

/**
 * Filters of a search. An absent or empty list is no condition. Exception: an empty list of segments stands for a
 * person in no segment.
 */
export interface SearchFilter {
  visibility?: Visibility[] | undefined;
  sourceTypes?: SourceType[] | undefined;
  dataSources?: string[] | undefined;
  /** Names of sources that nothing is found in. */
  exceptSources?: string[] | undefined;
  /** Only items allowed on this channel. */
  channel?: string | undefined;
  /** Only items allowed for members of these segments. */
  segments?: string[] | undefined;
}

export interface ChunkSearch extends SearchFilter {
  limit: number;
}

export interface ScoredChunk {
  chunk_id: number;
  score: number;
}

/** Unpacks the hits of postings in SQL; the inverse of packHit. */
const UNPACKED_HIT = sql`lateral (
  select segment + (hit >> ${sql.lit(FREQUENCY_BITS + LENGTH_BITS)}) as chunk_id, hit & ${sql.lit(2 ** FREQUENCY_BITS - 1)} as frequency,
    (hit >> ${sql.lit(FREQUENCY_BITS)}) & ${sql.lit(2 ** LENGTH_BITS - 1)} as length
) as held`;

/** Counts the org's chunks by language, and states whether each language has stems. */
export async function countByLanguage(db: Db, orgId: string) {
  const { rows } = await sql<{ language: string | null; has_stems: boolean; chunks: number; words: number }>`
    select language, public.search_config(language) is not null as has_stems, sum(chunks)::int as chunks, sum(words)::float8 as words
    from knowledge_items where org_id = ${orgId} group by language having sum(chunks) > 0
  `.execute(db);
  return rows;
}

/** Returns the names of the tools whose integrations have brought knowledge. */
export async function listIntegrationSources(db: Db, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('knowledge_items')
    .select('source')
    .distinct()
    .where('org_id', '=', orgId)
    .where('source_type', '=', 'integration')
    .orderBy('source')
    .execute();
  return rows.map(({ source }) => source);
}

/** Returns the words of a text, each unchanged and with its stems in the languages. */
export async function listForms(db: Db, words: string, languages: string[]): Promise<WordForm[]> {
  const { rows } = await sql<WordForm>`
    with asked as (select public.plain_text(${words}::text) as words)
    select language, position, lexeme
    from asked, unnest(array[null::text] || ${languages}::text[]) as language,
      unnest(to_tsvector(coalesce(public.search_config(language), 'pg_catalog.simple'), words)) as form (lexeme, positions, weights),
      unnest(positions) as position
    order by position, language
  `.execute(db);
  return rows;
}

/** Counts the chunks of each lexeme; lexemes without chunks are left out. */
export async function countPostings(db: Db, orgId: string, lexemes: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ lexeme: string; chunks: number }>`
    select asked.lexeme, counted.chunks
    from unnest(${lexemes}::text[]) as asked (lexeme), lateral (
      select sum(cardinality(hits))::int as chunks from knowledge_postings as posting
      where posting.org_id = ${orgId} and posting.lexeme = asked.lexeme
    ) as counted
    where counted.chunks > 0
  `.execute(db);
  return new Map(rows.map(({ lexeme, chunks }) => [lexeme, chunks]));
}

/** Returns the most similarly spelled words of the org's texts for each of these words. */
export async function listSimilarWords(
  db: Db,
  orgId: string,
  words: string[],
  { most, least }: { most: number; least: number },
): Promise<SimilarWord[]> {
  const { rows } = await sql<SimilarWord>`
    select asked.word, near.word as lexeme, near.similarity
    from unnest(${words}::text[]) as asked (word), lateral (
      select known.word, max(public.similarity(known.word, asked.word))::float8 as similarity
      from knowledge_words as known
      where known.org_id = ${orgId} and known.word operator(public.%) asked.word
        and public.similarity(known.word, asked.word) >= ${least}
        and exists (select from knowledge_postings where org_id = ${orgId} and lexeme = known.word)
      group by known.word order by similarity desc, known.word limit ${most}
    ) as near
  `.execute(db);
  return rows;
}

/**
 * Returns chunks with any of the lexemes, by BM25 score. `rarity` includes the weight of each lexeme.
 * No step joins two sets, because without statistics for an org Postgres would plan such a join badly. Each lexeme is
 * looked up, and the mostly few forbidden chunks are added to the same groups.
 */
export async function scoreChunks(
  db: Db,
  orgId: string,
  { terms, corpus: { averageLength } }: { terms: { lexeme: string; rarity: number }[]; corpus: CorpusStatistics },
  { limit, ...filter }: ChunkSearch,
): Promise<ScoredChunk[]> {
  const number = (value: number) => sql`${value}::float8`;
  const [k1, fixed, byLength] = [number(K1), number(K1 * (1 - B)), number((K1 * B) / averageLength)];
  const conditions = conditionsOf(filter);
  const forbidden = sql`
    union all
    select unnest(chunk_ids), 0, true from knowledge_items as item
    where item.org_id = ${orgId} and not (${sql.join(conditions, sql` and `)})`;
  const { rows } = await sql<ScoredChunk>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select chunk_id, sum(score) as score from (
      select chunk_id, rarity * frequency * (${k1} + 1) / (frequency + ${fixed} + ${byLength} * length) as score,
        false as is_forbidden
      from unnest(${terms.map(({ lexeme }) => lexeme)}::text[], ${terms.map(({ rarity }) => rarity)}::float8[])
        as term (lexeme, rarity),
        lateral (
          select segment, hits from knowledge_postings as posting
          where posting.org_id = ${orgId} and posting.lexeme = term.lexeme
          offset 0
        ) as posting, unnest(hits) as hit, ${UNPACKED_HIT}
      ${conditions.length === 0 ? sql`` : forbidden}
      union all
      select unnest(item.chunk_ids), 0, true from (${itemsOfDeletedDatasources(orgId)}) as deleted, lateral (
        select chunk_ids from knowledge_items where org_id = ${orgId} and id = deleted.id offset 0
      ) as item
    ) as part
    group by chunk_id having not bool_or(is_forbidden)
    order by score desc, chunk_id limit ${limit}
  `.execute(db);
  return rows;
}

function conditionsOf({ visibility, sourceTypes, dataSources, exceptSources = [], channel, segments }: SearchFilter) {
  const oneOf = (column: string, values: string[] | undefined): RawBuilder<unknown>[] =>
    values === undefined || values.length === 0 ? [] : [sql`${sql.ref(column)} = any(${values}::text[])`];
  return [
    ...oneOf('item.visibility', visibility),
    ...oneOf('item.source_type', sourceTypes),
    ...oneOf('item.source', dataSources),
    ...(exceptSources.length === 0 ? [] : [sql`item.source <> all(${exceptSources}::text[])`]),
    ...(channel === undefined ? [] : [sql`(item.channels = '{}' or ${channel} = any(item.channels))`]),
    ...(segments === undefined ? [] : [sql`(item.segments = '{}' or item.segments && ${segments}::text[])`]),
  ];
}

/** Returns the chunks allowed by the filter. */
export async function listAllowedChunks(
  db: Db,
  orgId: string,
  chunkIds: number[],
  filter: SearchFilter,
): Promise<number[]> {
  const conditions = [
    sql`item.org_id = ${orgId}`,
    sql`item.id not in (${itemsOfDeletedDatasources(orgId)})`,
    ...conditionsOf(filter),
  ];
  const { rows } = await sql<{ id: number }>`
    select asked.id from unnest(${chunkIds}::bigint[]) as asked (id), lateral (
      select item_id from knowledge_chunks as chunk where chunk.org_id = ${orgId} and chunk.id = asked.id offset 0
    ) as held, lateral (
      select from knowledge_items as item where item.id = held.item_id and ${sql.join(conditions, sql` and `)} offset 0
    ) as allowed
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns chunks with their items. */
export function listPassages(db: Db, orgId: string, chunkIds: number[]) {
  return db
    .selectFrom('knowledge_chunks as chunk')
    .innerJoin('knowledge_items as item', (join) =>
      join.onRef('item.org_id', '=', 'chunk.org_id').onRef('item.id', '=', 'chunk.item_id'),
    )
    .select([
      'chunk.id as chunk_id',
      'chunk.position',
      'chunk.start_offset',
      'chunk.content',
      'chunk.path',
      'item.id',
      'item.source_type',
      'item.source',
      'item.title',
      'item.language',
      'item.url',
      'item.visibility',
    ])
    .where('chunk.org_id', '=', orgId)
    .where('chunk.id', 'in', chunkIds)
    .execute();
}

/** A passage by its item and the SHA-256 of its text, in hex. */
export interface PassageRef {
  item_id: string;
  hash: string;
}

/** What `trim` removes: passages are shown without it. */
const WHITE_SPACE =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Returns those of the passages that no longer stand in their item. */
export async function selectGonePassages(db: Db, orgId: string, passages: PassageRef[]): Promise<PassageRef[]> {
  const itemIds = [...new Set(passages.map(({ item_id }) => item_id))];
  const { rows } = await sql<PassageRef>`
    with present as materialized (
      select item.id as item_id, encode(sha256(convert_to(btrim(chunk.content, ${WHITE_SPACE}), 'UTF8')), 'hex') as hash
      from knowledge_items as item, unnest(item.chunk_ids) as placed (id), lateral (
        select content from knowledge_chunks where org_id = ${orgId} and id = placed.id offset 0
      ) as chunk
      where item.org_id = ${orgId} and item.id = any(${itemIds}::uuid[])
    )
    select item_id, hash
    from unnest(${passages.map(({ item_id }) => item_id)}::uuid[], ${passages.map(({ hash }) => hash)}::text[])
      as cited (item_id, hash)
    where not exists (select from present where present.item_id = cited.item_id and present.hash = cited.hash)
  `.execute(db);
  return rows;
}

/** Returns the hits of lexemes in chunks. */
export async function listPostings(db: Db, orgId: string, chunkIds: number[], lexemes: string[]) {
  const { rows } = await sql<{ chunk_id: number; lexeme: string; frequency: number; length: number }>`
    select chunk_id, lexeme, frequency, length
    from knowledge_postings, unnest(hits) as hit, ${UNPACKED_HIT}
    where org_id = ${orgId} and lexeme = any(${lexemes}::text[]) and chunk_id = any(${chunkIds}::bigint[])
  `.execute(db);
  return rows;
}
