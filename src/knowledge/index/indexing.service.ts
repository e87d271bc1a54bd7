import { createHash } from 'node:crypto';
import { languageOf } from '../../conversations/languages.service.ts';
import type { Db } from '../../db/connect.ts';
import { analyseMarkdown, proseOf } from './analysis.rules.ts';
import { chunksOf } from './chunking.rules.ts';
import { requestEmbedding } from './embedding.service.ts';
import {
  countChunks,
  deleteChunks,
  deleteItems,
  holdItems,
  listChunks,
  type MovedChunk,
  moveChunks,
  upsertItems,
} from './indexing.queries.ts';
import type { KnowledgeItem } from './items.schema.ts';
import { type AnalysedChunk, writeSegment } from './segments.service.ts';

export type { KnowledgeItem } from './items.schema.ts';

/** So many chunks have their postings in the same rows, which Postgres would compress if they were of more. */
const CHUNKS_A_SEGMENT = 900;
/** A statement has 30 s. */
const CHUNKS_A_DELETE = 5_000;
/** For the nearest headings; those above them count as the body does. */
const HEADING_WEIGHT = 3;
/** Another way to make postings needs another number, so that no chunk passes for unchanged. */
const VERSION = '1';

/**
 * Makes the items found as they are now, in place of what was there under their ids, once the transaction commits. Only chunks that changed are
 * written again. A draft is not found.
 */
export async function indexItems(trx: Db, orgId: string, items: KnowledgeItem[]): Promise<void> {
  const latest = [...new Map(items.map((item) => [item.id.toLowerCase(), item])).values()];
  await removeItems(
    trx,
    orgId,
    latest.filter(({ isDraft }) => isDraft).map(({ id }) => id),
  );
  const found = await Promise.all(latest.filter(({ isDraft }) => !isDraft).map(withLanguage));
  if (found.length === 0) return;
  await upsertItems(trx, orgId, found);
  const ids = found.map(({ id }) => id);
  const hasNew = await writeChunks(trx, orgId, ids, found.flatMap(chunksOfItem));
  await countChunks(trx, orgId, ids);
  if (hasNew) await requestEmbedding(trx, orgId);
}

/** Makes the items found no more, once the transaction commits. */
export async function removeItems(trx: Db, orgId: string, ids: string[]): Promise<void> {
  const held = ids.length === 0 ? [] : await holdItems(trx, orgId, ids);
  if (held.length === 0) return; // one that comes meanwhile comes behind this
  const chunks = (await listChunks(trx, orgId, held)).map(({ id }) => id);
  for (let from = 0; from < chunks.length; from += CHUNKS_A_DELETE)
    await deleteChunks(trx, orgId, chunks.slice(from, from + CHUNKS_A_DELETE));
  await deleteItems(trx, orgId, held);
}

async function withLanguage(item: KnowledgeItem): Promise<KnowledgeItem> {
  const markdown = storable(item.markdown);
  const language = item.language ?? (await languageOf(proseOf(markdown))) ?? null;
  return { ...item, id: item.id.toLowerCase(), title: storable(item.title), markdown, language };
}

/** What a column can hold, as long as before, so that offsets stay. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Keeps a chunk for each new one of the same hash, in order; deletes the others, and writes what is new. Gives whether anything is. */
async function writeChunks(trx: Db, orgId: string, itemIds: string[], chunks: AnalysedChunk[]): Promise<boolean> {
  const keyOf = ({ item_id, hash }: { item_id: string; hash: string }) => `${item_id} ${hash}`;
  const stored = Map.groupBy(await listChunks(trx, orgId, itemIds), keyOf);
  const moved: MovedChunk[] = [];
  const added = chunks.filter((chunk) => {
    const kept = stored.get(keyOf(chunk))?.shift();
    if (kept === undefined) return true;
    const { position, start_offset, end_offset } = chunk;
    if (kept.position !== position || kept.start_offset !== start_offset)
      moved.push({ id: kept.id, position, start_offset, end_offset });
    return false;
  });
  const gone = [...stored.values()].flat().map(({ id }) => id);
  if (gone.length > 0) await deleteChunks(trx, orgId, gone);
  if (moved.length > 0) await moveChunks(trx, orgId, moved);
  for (let from = 0; from < added.length; from += CHUNKS_A_SEGMENT)
    await writeSegment(trx, orgId, added.slice(from, from + CHUNKS_A_SEGMENT));
  return added.length > 0;
}

function chunksOfItem({ id, title, markdown, language }: KnowledgeItem): AnalysedChunk[] {
  return chunksOf(markdown).map(({ start, end, path, headings, body }, position) => {
    const nearest = [path.at(-1) ?? title, ...headings].join('\n');
    const content = markdown.slice(start, end);
    const hash = createHash('sha256')
      .update(JSON.stringify([VERSION, title, path, headings, content, language]))
      .digest('hex');
    const analyse = () => [
      { ...analyseMarkdown(body), weight: 1 },
      { ...analyseMarkdown(nearest), weight: HEADING_WEIGHT },
      { ...analyseMarkdown([title, ...path].slice(0, -1).join('\n')), weight: 1 },
    ];
    return {
      item_id: id,
      position,
      start_offset: start,
      end_offset: end,
      hash,
      path: [title, ...path],
      content,
      language,
      analyse,
    };
  });
}
