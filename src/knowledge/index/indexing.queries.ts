import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { KnowledgeItem } from './items.schema.ts';

const HEADING_WEIGHT = 3;
/** So many chunks have their postings in the same rows. Rows of more would be compressed, and read more slowly. */
const CHUNKS_A_SEGMENT = 120;

/** A chunk as it is to be found. Words and grams are those of its body, of its nearest headings, and of the headings above them. */
export interface NewChunk {
  item_id: string;
  position: number;
  start_offset: number;
  end_offset: number;
  /** In hex. */
  hash: string;
  path: string[];
  content: string;
  language: string | null;
  body: string;
  body_grams: string;
  headings: string;
  headings_grams: string;
  above: string;
  above_grams: string;
}

export type MovedChunk = Pick<NewChunk, 'position' | 'start_offset' | 'end_offset'> & { id: number };

/** Writes the items in the order of their ids, and holds each until the transaction ends. */
export async function upsertItems(trx: Db, orgId: string, items: KnowledgeItem[]): Promise<void> {
  const rows = items
    .map((item) => ({
      org_id: orgId,
      id: item.id,
      source_type: item.sourceType,
      source: item.source,
      source_id: item.sourceId,
      title: item.title,
      url: item.url,
      visibility: item.visibility,
      language: item.language,
      channels: item.channels,
      segments: item.segments,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  await trx
    .insertInto('knowledge_items')
    .values(rows)
    .onConflict((oc) =>
      oc.columns(['org_id', 'id']).doUpdateSet((eb) => ({
        source_type: eb.ref('excluded.source_type'),
        source: eb.ref('excluded.source'),
        source_id: eb.ref('excluded.source_id'),
        title: eb.ref('excluded.title'),
        url: eb.ref('excluded.url'),
        visibility: eb.ref('excluded.visibility'),
        language: eb.ref('excluded.language'),
        channels: eb.ref('excluded.channels'),
        segments: eb.ref('excluded.segments'),
      })),
    )
    .execute();
}

/** The chunks of items, in the order of the text. */
export function listChunks(trx: Db, orgId: string, itemIds: string[]) {
  return trx
    .selectFrom('knowledge_chunks')
    .select(['id', 'item_id', 'position', 'start_offset', 'end_offset', sql<string>`encode(hash, 'hex')`.as('hash')])
    .where('org_id', '=', orgId)
    .where('item_id', 'in', itemIds)
    .orderBy('item_id')
    .orderBy('position')
    .execute();
}

/** Holds those of the items that are there until the transaction ends, and gives their ids. */
export async function holdItems(trx: Db, orgId: string, itemIds: string[]): Promise<string[]> {
  const held = await trx
    .selectFrom('knowledge_items')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', itemIds)
    .orderBy('id')
    .forUpdate()
    .execute();
  return held.map(({ id }) => id);
}

export async function deleteItems(trx: Db, orgId: string, ids: string[]): Promise<void> {
  await trx.deleteFrom('knowledge_items').where('org_id', '=', orgId).where('id', 'in', ids).execute();
}

/** With their postings. */
export async function deleteChunks(trx: Db, orgId: string, ids: number[]): Promise<void> {
  await sql`select knowledge_take_postings(${orgId}, ${ids})`.execute(trx);
  await sql`delete from knowledge_chunks where org_id = ${orgId} and id = any(${ids})`.execute(trx);
}

export async function moveChunks(trx: Db, orgId: string, chunks: MovedChunk[]): Promise<void> {
  await sql`
    update knowledge_chunks as chunk
    set position = moved.position, start_offset = moved.start_offset, end_offset = moved.end_offset
    from jsonb_to_recordset(${JSON.stringify(chunks)}::jsonb)
      as moved (id bigint, position int, start_offset int, end_offset int)
    where chunk.org_id = ${orgId} and chunk.id = moved.id
  `.execute(trx);
}

const stemsOf = (words: string) =>
  sql`unnest(to_tsvector(coalesce(public.search_config(language), 'pg_catalog.simple'), public.plain_text(${sql.ref(words)})))`;
const gramsOf = (grams: string) => sql`string_to_table(nullif(${sql.ref(grams)}, ''), ' ') as gram`;

/** With their postings. Words that are new to the org are learnt, so that those spelled alike find them; numbers are not spelled. */
export async function insertChunks(trx: Db, orgId: string, chunks: NewChunk[]): Promise<void> {
  const weight = sql.lit(HEADING_WEIGHT);
  await sql`
    with chunk as materialized (
      select numbered.*, min(id) over (partition by nth / ${sql.lit(CHUNKS_A_SEGMENT)}) as segment
      from (
        select nextval('knowledge_chunks_id_seq') as id, row_number() over () - 1 as nth, given.*
        from jsonb_to_recordset(${JSON.stringify(chunks)}::jsonb) as given (
          item_id uuid, position int, start_offset int, end_offset int, hash text, path text[], content text, language text,
          body text, body_grams text, headings text, headings_grams text, above text, above_grams text
        )
      ) as numbered
    ), term as materialized (
      select id, segment, lexeme, sum(times)::int as frequency, bool_or(is_word) as is_word
      from chunk cross join lateral (
        select lexeme, cardinality(positions) as times, true as is_word from ${stemsOf('body')}
        union all select lexeme, cardinality(positions) * ${weight}, true from ${stemsOf('headings')}
        union all select lexeme, cardinality(positions), true from ${stemsOf('above')}
        union all select gram, 1, false from ${gramsOf('body_grams')}
        union all select gram, ${weight}, false from ${gramsOf('headings_grams')}
        union all select gram, 1, false from ${gramsOf('above_grams')}
      ) as analysed
      group by id, segment, lexeme
    ), total as materialized (
      select id, sum(frequency)::int as length, array_agg(lexeme) as lexemes from term group by id
    ), stored as (
      insert into knowledge_chunks
        (org_id, id, item_id, position, start_offset, end_offset, hash, path, content, length, lexemes, segment)
      overriding system value
      select ${orgId}::uuid, id, item_id, position, start_offset, end_offset, decode(hash, 'hex'), path, content,
        coalesce(length, 0), coalesce(lexemes, '{}'), segment
      from chunk left join total using (id)
    ), posted as (
      insert into knowledge_postings (org_id, lexeme, segment, chunk_ids, frequencies, lengths)
      select ${orgId}::uuid, lexeme, segment, array_agg(id), array_agg(frequency), array_agg(length)
      from term join total using (id)
      group by lexeme, segment order by lexeme collate "C", segment
    )
    insert into knowledge_words (org_id, word)
    select distinct ${orgId}::uuid, lexeme from term
    where is_word and lexeme !~ '[0-9]' and (
      select true from knowledge_words as known where known.org_id = ${orgId} and known.word = term.lexeme collate "C" limit 1
    ) is null
  `.execute(trx);
}

/** Writes down which chunks the items have now, and how long they are. */
export async function countChunks(trx: Db, orgId: string, itemIds: string[]): Promise<void> {
  await sql`
    update knowledge_items as item set (chunks, words, chunk_ids) = (
      select count(*), coalesce(sum(length), 0), coalesce(array_agg(chunk.id order by position), '{}')
      from knowledge_chunks as chunk where chunk.org_id = ${orgId} and chunk.item_id = item.id
    )
    where item.org_id = ${orgId} and item.id = any(${itemIds}::uuid[])
  `.execute(trx);
}
