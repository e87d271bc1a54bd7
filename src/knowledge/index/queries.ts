import { sql } from 'kysely';
import { arrayLiteral, arrayLiteralsOf, bigintArray, textArray } from '../../db/arrays.ts';
import type { Trx } from '../../db/connect.ts';
import { sendAhead } from '../../db/connections/pipeline.ts';
import type { KnowledgeItem } from './items.schema.ts';
import { FREQUENCY_BITS, LENGTH_BITS } from './postings.rules.ts';

const OFFSET_SHIFT = sql.lit(FREQUENCY_BITS + LENGTH_BITS);

/** A chunk to be indexed. */
export interface NewChunk {
  item_id: string;
  position: number;
  start_offset: number;
  end_offset: number;
  /** As hex. */
  hash: string;
  path: string[];
  content: string;
  /** The sum of the frequencies of all its lexemes. */
  length: number;
  /** Its lexemes, as indexes into all of the segment's. */
  lexemes: Uint32Array;
}

/** The postings of a segment: lexemes with their chunks. */
export interface NewPostings {
  lexemes: string[];
  /** The bounds of each lexeme's hits within `hits`. */
  begins: Uint32Array;
  ends: Uint32Array;
  /** Packed by packHit. */
  hits: Float64Array;
}

/** A written chunk and its position in its item. */
export type PlacedChunk = Pick<NewChunk, 'item_id' | 'position' | 'length'> & { id: number };

export type MovedChunk = Pick<NewChunk, 'position' | 'start_offset' | 'end_offset'> & { id: number };

/**
 * Inserts or updates items in the order of their ids, locking each until the transaction ends. Returns the ids of their
 * existing chunks.
 */
export async function upsertItems(
  trx: Trx,
  orgId: string,
  items: Omit<KnowledgeItem, 'markdown'>[],
): Promise<number[]> {
  const { rows } = await sql<{ chunk_ids: number[] }>`
    insert into knowledge_items
      (org_id, id, source_type, source, title, url, visibility, language, channels, segments)
    select ${orgId}::uuid, id, "sourceType", source, title, url, visibility, language, channels, segments
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as given (
      id uuid, "sourceType" text, source text, title text, url text, visibility text, language text, channels text[], segments text[]
    )
    order by id
    on conflict (org_id, id) do update
    set source_type = excluded.source_type, source = excluded.source, title = excluded.title, url = excluded.url,
      visibility = excluded.visibility, language = excluded.language, channels = excluded.channels, segments = excluded.segments
    returning chunk_ids
  `.execute(trx);
  return rows.flatMap(({ chunk_ids }) => chunk_ids);
}

/** Returns chunks of items, in the order of the text. */
export async function listChunks(trx: Trx, orgId: string, ids: number[]) {
  if (ids.length === 0) return [];
  return trx
    .selectFrom('knowledge_chunks')
    .select(['id', 'item_id', 'position', 'start_offset', 'length', sql<string>`encode(hash, 'hex')`.as('hash')])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('item_id')
    .orderBy('position')
    .execute();
}

/** Locks existing items until the transaction ends. Returns them with the ids of their chunks. */
export function lockItems(trx: Trx, orgId: string, ids: string[]) {
  return trx
    .selectFrom('knowledge_items')
    .select(['id', 'chunk_ids'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Gives items new addresses. Their texts stay as they are. */
export async function updateItemUrls(trx: Trx, orgId: string, items: { id: string; url: string }[]): Promise<void> {
  await sql`
    update knowledge_items as item set url = given.url
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as given (id uuid, url text)
    where item.org_id = ${orgId} and item.id = given.id and item.url is distinct from given.url
  `.execute(trx);
}

export async function deleteItems(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await sql`delete from knowledge_items where org_id = ${orgId} and id = any(${ids}::uuid[])`.execute(trx);
}

/**
 * Deletes chunks with their postings. Locks the postings in the order of lexemes. A chunk lists exactly the lexemes
 * with a hit in its segment's postings, so a posting is empty if all of its hits are deleted.
 */
export async function deleteChunks(trx: Trx, orgId: string, ids: number[]): Promise<void> {
  await sql`
    with gone as materialized (
      select has.lexeme collate "C" as lexeme, chunk.segment, array_agg(chunk.id) as chunks
      from knowledge_chunks as chunk, unnest(chunk.lexemes) as has (lexeme)
      where chunk.org_id = ${orgId} and chunk.id = any(${ids})
      group by 1, 2 order by 1, 2
    ), held as materialized (
      select posting.lexeme, posting.segment, gone.chunks, posting.hits
      from gone, lateral (
        select lexeme, segment, hits from knowledge_postings
        where org_id = ${orgId} and lexeme = gone.lexeme and segment = gone.segment
        for update offset 0
      ) as posting
    ), emptied as (
      delete from knowledge_postings as posting using held
      where posting.org_id = ${orgId} and posting.lexeme = held.lexeme and posting.segment = held.segment
        and cardinality(held.hits) = cardinality(held.chunks)
    )
    update knowledge_postings as posting
    set hits = array(
      select hit from unnest(held.hits) as hit
      where held.segment + (hit >> ${OFFSET_SHIFT}) not in (select chunk from unnest(held.chunks) as chunk)
    )
    from held
    where posting.org_id = ${orgId} and posting.lexeme = held.lexeme and posting.segment = held.segment
      and cardinality(held.hits) > cardinality(held.chunks)
  `.execute(trx);
  await sql`delete from knowledge_chunks where org_id = ${orgId} and id = any(${ids})`.execute(trx);
}

export async function moveChunks(trx: Trx, orgId: string, chunks: MovedChunk[]): Promise<void> {
  await sql`
    update knowledge_chunks as chunk
    set position = moved.position, start_offset = moved.start_offset, end_offset = moved.end_offset
    from jsonb_to_recordset(${JSON.stringify(chunks)}::jsonb)
      as moved (id bigint, position int, start_offset int, end_offset int)
    where chunk.org_id = ${orgId} and chunk.id = moved.id
  `.execute(trx);
}

/** Columns passed as JSON; the longer ones are passed as arrays. */
const JSON_COLUMNS = [
  'item_id',
  'position',
  'start_offset',
  'end_offset',
  'hash',
  'length',
] satisfies (keyof NewChunk)[];

/**
 * Writes chunks as one segment with its lexemes, identified by its lowest chunk id. Returns the chunks with their ids, in
 * no particular order.
 */
export async function insertChunks(trx: Trx, orgId: string, lexemes: readonly string[], chunks: NewChunk[]) {
  const literalOf = arrayLiteralsOf(lexemes);
  const { rows } = await sql<PlacedChunk & { segment: number }>`
    insert into knowledge_chunks
      (org_id, id, item_id, position, start_offset, end_offset, hash, path, content, length, lexemes, segment)
    overriding system value
    select ${orgId}::uuid, id, item_id, position, start_offset, end_offset, decode(hash, 'hex'), path::text[], content, length,
      lexemes::text[], min(id) over ()
    from (
      select nextval('knowledge_chunks_id_seq') as id, given.*
      from rows from (
        jsonb_to_recordset(${JSON.stringify(chunks, JSON_COLUMNS)}::jsonb)
          as (item_id uuid, position int, start_offset int, end_offset int, hash text, length int),
        unnest(${textArray(chunks.map(({ path }) => arrayLiteral(path)))}::text[]),
        unnest(${textArray(chunks.map(({ content }) => content))}::text[]),
        unnest(${textArray(chunks.map((chunk) => literalOf(chunk.lexemes)))}::text[])
      ) as given (item_id, position, start_offset, end_offset, hash, length, path, content, lexemes)
    ) as numbered
    returning id, segment, item_id, position, length
  `.execute(trx);
  return rows;
}

/**
 * Writes a row for each lexeme, sorted. The hits are sliced after the sort (`offset 0`), so that the sort does not copy
 * them.
 */
export async function insertPostings(
  trx: Trx,
  orgId: string,
  segment: number,
  { lexemes, begins, ends, hits }: NewPostings,
): Promise<void> {
  await sendAhead(
    trx,
    sql`
    insert into knowledge_postings (org_id, lexeme, segment, hits)
    select ${orgId}::uuid, lexeme, ${segment}, (${bigintArray(hits)}::bigint[])[before + 1:upto]
    from (
      select lexeme, before, upto
      from unnest(${textArray(lexemes)}::text[], ${bigintArray(begins)}::bigint[], ${bigintArray(ends)}::bigint[])
        as given (lexeme, before, upto)
      order by lexeme collate "C" offset 0
    ) as sorted
  `,
  );
}

/**
 * Updates the items' chunk ids, in the order of the text, and their lengths. Looks each item up by its key (`offset 0`),
 * not among all items of the org.
 */
export async function updateItemChunks(
  trx: Trx,
  orgId: string,
  chunksOf: ReadonlyMap<string, PlacedChunk[]>,
): Promise<void> {
  const rows = [...chunksOf].map(([id, chunks]) => ({
    id,
    chunks: chunks.length,
    words: chunks.reduce((sum, { length }) => sum + length, 0),
    chunk_ids: chunks.toSorted((a, b) => a.position - b.position).map((chunk) => chunk.id),
  }));
  await sendAhead(
    trx,
    sql`
    update knowledge_items as item set chunks = given.chunks, words = given.words, chunk_ids = given.chunk_ids
    from (
      select ${orgId}::uuid as org_id, given.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, chunks int, words int, chunk_ids bigint[])
      offset 0
    ) as given
    where item.org_id = given.org_id and item.id = given.id
  `,
  );
}
