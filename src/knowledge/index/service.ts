import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Trx } from '../../db/connect.ts';
import { detectLanguage } from '../../languages/detection.ts';
import { announce } from '../../outbox/announcing.ts';
import { hasKnowledgeModel, requestEmbedding } from '../embedding/service.ts';
import { proseOf } from './analysis.rules.ts';
import type { KnowledgeItem } from './items.schema.ts';
import { MAX_COUNTED_LENGTH } from './parts.rules.ts';
import {
  deleteChunks,
  deleteItems,
  listChunks,
  lockItems,
  type MovedChunk,
  moveChunks,
  type PlacedChunk,
  updateItemChunks,
  upsertItems,
} from './queries.ts';
import { type PreparedChunk, writeSegment } from './segments.service.ts';
import { type SplitPart, type Splitter, splitHere, splitUncounted } from './splitting.service.ts';

export type { KnowledgeItem } from './items.schema.ts';
export { updateItemUrls } from './queries.ts';

/** Maximum chunks per segment. With more, Postgres would compress the rows of its postings. */
const CHUNKS_PER_SEGMENT = 900;
const ITEMS_PER_EVENT = 500;
/** Limited, because a statement may take at most 30 s. */
const CHUNKS_PER_DELETE = 5_000;
/** Part of the hash of chunks. Must change with the way postings are made, so that all chunks are written again. */
const POSTINGS_VERSION = '1';

/** An item with its text split into chunks. */
export interface PreparedItem {
  /** Without its text, as the chunks contain it. */
  item: Omit<KnowledgeItem, 'markdown'>;
  chunks: PreparedChunk[];
}

/**
 * Indexes items, replacing earlier versions with the same ids. Searches see the change after the commit. Only changed
 * chunks are written again. Drafts are removed from the index.
 */
export async function indexItems(trx: Trx, orgId: string, items: KnowledgeItem[]): Promise<void> {
  const latest = [...new Map(items.map((item) => [item.id.toLowerCase(), item])).values()];
  await removeItems(
    trx,
    orgId,
    latest.filter(({ isDraft }) => isDraft).map(({ id }) => id),
  );
  const prepared: PreparedItem[] = [];
  for (const item of latest.filter(({ isDraft }) => !isDraft)) {
    prepared.push(await prepareItem(item));
    await setImmediate(); // a long text takes a while
  }
  const hasNewChunks = await indexPrepared(trx, orgId, prepared);
  if (hasNewChunks && (await hasKnowledgeModel(trx, orgId))) await requestEmbedding(trx, orgId);
}

/**
 * Prepares an item other than a draft before the transaction. A long text takes long. `split` may split a shorter one in
 * another thread.
 */
export async function prepareItem(item: KnowledgeItem, split: Splitter = splitHere): Promise<PreparedItem> {
  const { markdown, ...rest } = await withLanguage(item);
  const splitter = markdown.length > MAX_COUNTED_LENGTH ? splitUncounted : split;
  const parts = await splitter({ title: rest.title, markdown });
  return { item: rest, chunks: chunksOfParts(rest, markdown, parts) };
}

/**
 * Indexes prepared items with different ids, as `indexItems` does, but requests no embedding. Returns whether there are new
 * chunks to be embedded.
 */
export async function indexPrepared(trx: Trx, orgId: string, prepared: PreparedItem[]): Promise<boolean> {
  if (prepared.length === 0) return false;
  const items = prepared.map(({ item }) => item);
  const stored = await listChunks(trx, orgId, await upsertItems(trx, orgId, items));
  const chunks = prepared.flatMap((one) => one.chunks);
  const { kept, added, changed } = await writeChunks(trx, orgId, stored, chunks);
  const placed = Map.groupBy([...kept, ...added], ({ item_id }) => item_id);
  await updateItemChunks(trx, orgId, new Map(items.map(({ id }) => [id, placed.get(id) ?? []])));
  await announceChange(trx, orgId, changed);
  return added.length > 0;
}

/** Removes items from the index. Searches see the change after the commit. */
export async function removeItems(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  const held = ids.length === 0 ? [] : await lockItems(trx, orgId, ids);
  if (held.length === 0) return; // an item inserted concurrently is committed after this removal
  const chunks = held.flatMap(({ chunk_ids }) => chunk_ids);
  await deleteInParts(trx, orgId, chunks);
  await deleteItems(
    trx,
    orgId,
    held.map(({ id }) => id),
  );
  await announceChange(
    trx,
    orgId,
    held.map(({ id }) => id),
  );
}

/** Announces that passages of items are new, have changed or are gone. */
async function announceChange(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  const sets = Array.from({ length: Math.ceil(ids.length / ITEMS_PER_EVENT) }, (_, nth) =>
    ids.slice(nth * ITEMS_PER_EVENT, (nth + 1) * ITEMS_PER_EVENT),
  );
  await announce(
    trx,
    orgId,
    sets.map((item_ids) => ({ type: 'knowledge-changed', subject_id: orgId, payload: { item_ids } })),
  );
}

async function withLanguage(item: KnowledgeItem): Promise<KnowledgeItem> {
  const markdown = sanitizeText(item.markdown);
  const language = item.language ?? (await detectLanguage(proseOf(markdown))) ?? null;
  return { ...item, id: item.id.toLowerCase(), title: sanitizeText(item.title), markdown, language };
}

/** Replaces characters unsupported by the database, without changing the length, so that offsets remain valid. */
const sanitizeText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

type StoredChunk = Awaited<ReturnType<typeof listChunks>>[number];

/**
 * Keeps stored chunks with the same hash, in order, deletes the others, and writes new ones. Returns also the items that
 * had others.
 */
async function writeChunks(
  trx: Trx,
  orgId: string,
  stored: StoredChunk[],
  chunks: PreparedChunk[],
): Promise<{ kept: PlacedChunk[]; added: PlacedChunk[]; changed: string[] }> {
  const keyOf = ({ item_id, hash }: { item_id: string; hash: string }) => `${item_id} ${hash}`;
  const left = Map.groupBy(stored, keyOf);
  const kept: PlacedChunk[] = [];
  const moved: MovedChunk[] = [];
  const unknown = chunks.filter((chunk) => {
    const known = left.get(keyOf(chunk))?.shift();
    if (known === undefined) return true;
    const { position, start_offset, end_offset } = chunk;
    kept.push({ ...known, position });
    if (known.position !== position || known.start_offset !== start_offset)
      moved.push({ id: known.id, position, start_offset, end_offset });
    return false;
  });
  const gone = [...left.values()].flat();
  await deleteInParts(
    trx,
    orgId,
    gone.map(({ id }) => id),
  );
  if (moved.length > 0) await moveChunks(trx, orgId, moved);
  const added: PlacedChunk[] = [];
  for (let from = 0; from < unknown.length; from += CHUNKS_PER_SEGMENT)
    added.push(...(await writeSegment(trx, orgId, unknown.slice(from, from + CHUNKS_PER_SEGMENT))));
  return { kept, added, changed: [...new Set([...gone, ...added].map(({ item_id }) => item_id))] };
}

async function deleteInParts(trx: Trx, orgId: string, chunkIds: number[]): Promise<void> {
  for (let from = 0; from < chunkIds.length; from += CHUNKS_PER_DELETE)
    await deleteChunks(trx, orgId, chunkIds.slice(from, from + CHUNKS_PER_DELETE));
}

const chunksOfParts = (
  { id, title, language }: PreparedItem['item'],
  markdown: string,
  parts: SplitPart[],
): PreparedChunk[] =>
  parts.map(({ start, end, path, headings, countWords }, position) => {
    const content = markdown.slice(start, end);
    return {
      item_id: id,
      position,
      start_offset: start,
      end_offset: end,
      hash: hash('sha256', JSON.stringify([POSTINGS_VERSION, title, path, headings, content, language])),
      path: [title, ...path],
      content,
      language,
      countWords,
    };
  });
