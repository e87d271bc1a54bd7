import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { shareByKey } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { findHorizon, listEmbeddedIds, listVectors, type StoredVector, type VectorPosition } from './queries.ts';

/** Vectors are cached as whole numbers of half the size. What that changes is far below the differences that matter. */
const SCALE = 2 ** 15 - 1;
const VECTORS_PER_BATCH = 1_000;
/** Vectors of deleted chunks stay cached until then. Searches ignore them. */
const MS_BETWEEN_CHECKS = 10 * 60_000;
/** Fewer bytes of an org that had reached its limit make room for more of its vectors. */
const SHARE_WITH_ROOM = 0.9;
const START: VectorPosition = { xid: '0', chunk_id: 0 };

interface CachedVectors {
  byChunk: Map<number, Int16Array>;
  bytes: number;
  /** All vectors up to here are cached. */
  position: VectorPosition;
  /** The org has more vectors than its limit. Each search reads those after the position. */
  isFull: boolean;
  checkedAt: number;
}

/** The vectors of an org's chunks by one model. */
export interface OrgVectors {
  isEmpty: boolean;
  /** Returns the cosine similarity of the chunks to a vector. Others get the processor in between. */
  similarities(vector: Float32Array): Promise<Map<number, number>>;
}

export interface VectorCacheLimits {
  /** Bytes of all orgs. */
  maxBytes: number;
  /** Bytes of one org. */
  maxOrgBytes: number;
}

/**
 * Caches the vectors of orgs in this process. Each read gets those added since the last one, in batches, and reads of the
 * same org at the same time are one. Of an org with more vectors than its limit, the others are read by each comparison.
 */
export function createVectorCache({ maxBytes, maxOrgBytes }: VectorCacheLimits) {
  const cache = new LRUCache<string, CachedVectors>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => 1 + bytes });
  const shared = shareByKey<CachedVectors>();

  const refresh = async (db: Db, orgId: string, model: string, key: string): Promise<CachedVectors> => {
    const vectors = { ...(cache.get(key) ?? newVectors()) };
    if (Date.now() - vectors.checkedAt >= MS_BETWEEN_CHECKS) await deleteGone(db, orgId, model, vectors);
    vectors.isFull &&= vectors.bytes > SHARE_WITH_ROOM * maxOrgBytes;
    const horizon = BigInt(await findHorizon(db));
    for await (const batch of vectors.isFull ? [] : batchesAfter(db, orgId, model, vectors.position)) {
      for (const row of batch) if (!vectors.isFull) addVector(vectors, row, { maxOrgBytes, horizon });
      cache.set(key, { ...vectors }); // makes room for it as it grows
      if (vectors.isFull) break;
    }
    cache.set(key, vectors);
    return vectors;
  };

  return {
    /** Brings the org's vectors of the model up to date. */
    async read(db: Db, orgId: string, model: string): Promise<OrgVectors> {
      const key = `${orgId} ${model}`;
      const { byChunk, isFull, position } = await shared(key, () => refresh(db, orgId, model, key));
      return {
        isEmpty: byChunk.size === 0 && !isFull,
        async similarities(vector) {
          const found = new Map<number, number>();
          await compare(byChunk, vector, found);
          for await (const batch of isFull ? batchesAfter(db, orgId, model, position) : [])
            await compare(new Map(batch.map((row) => [row.chunk_id, cachedVectorOf(row)])), vector, found);
          return found;
        },
      };
    },
  };
}

const newVectors = (): CachedVectors => ({
  byChunk: new Map(),
  bytes: 0,
  position: START,
  isFull: false,
  checkedAt: Date.now(),
});

/** A transaction since the horizon may still be in progress, so what is written there is read again next time. */
function addVector(
  vectors: CachedVectors,
  row: StoredVector & VectorPosition,
  { maxOrgBytes, horizon }: { maxOrgBytes: number; horizon: bigint },
): void {
  const { chunk_id, xid } = row;
  const vector = cachedVectorOf(row);
  const bytes = vectors.bytes + vector.byteLength - (vectors.byChunk.get(chunk_id)?.byteLength ?? 0);
  vectors.isFull = bytes > maxOrgBytes;
  if (vectors.isFull) return;
  vectors.byChunk.set(chunk_id, vector);
  vectors.bytes = bytes;
  if (BigInt(xid) < horizon) vectors.position = { xid, chunk_id };
}

async function deleteGone(db: Db, orgId: string, model: string, vectors: CachedVectors): Promise<void> {
  const present = new Set(await listEmbeddedIds(db, orgId, model));
  for (const [id, { byteLength }] of vectors.byChunk) {
    if (present.has(id)) continue;
    vectors.byChunk.delete(id);
    vectors.bytes -= byteLength;
  }
  vectors.checkedAt = Date.now();
}

async function* batchesAfter(db: Db, orgId: string, model: string, position: VectorPosition) {
  for (let after: VectorPosition | undefined = position; after !== undefined; ) {
    const batch: (StoredVector & VectorPosition)[] = await listVectors(db, orgId, model, {
      after,
      limit: VECTORS_PER_BATCH,
    });
    if (batch.length > 0) yield batch;
    after = batch.length < VECTORS_PER_BATCH ? undefined : batch.at(-1);
  }
}

/** The bytes are copied, as buffers from pg may start at an unaligned offset. */
function cachedVectorOf({ vector: bytes }: StoredVector): Int16Array {
  const floats = new Float32Array(new Uint8Array(bytes).buffer);
  const vector = new Int16Array(floats.length);
  for (let nth = 0; nth < floats.length; nth++) vector[nth] = Math.round((floats[nth] ?? 0) * SCALE);
  return vector;
}

/** Adds the cosine similarity of each vector to another one. */
async function compare(
  vectors: ReadonlyMap<number, Int16Array>,
  asked: Float32Array,
  found: Map<number, number>,
): Promise<void> {
  let compared = 0;
  for (const [chunkId, vector] of vectors) {
    if (++compared % VECTORS_PER_BATCH === 0) await yieldToOthers();
    if (vector.length !== asked.length) continue;
    let cosine = 0;
    for (let nth = 0; nth < asked.length; nth++) cosine += (vector[nth] ?? 0) * (asked[nth] ?? 0);
    found.set(chunkId, cosine / SCALE);
  }
}
