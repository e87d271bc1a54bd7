import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/connect.ts';
import { ProviderError } from '../../errors.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import { embedTexts } from '../../providers/llm/embeddings.ts';
import type { Secrets } from '../../secrets.ts';
import type { SemanticSearch } from '../search/passage-search.service.ts';
import { findHorizon, listVectors } from './queries.ts';
import { findEmbeddingModel, vectorModelOf } from './service.ts';

const TIMEOUT_MS = 5_000;
const MAX_CACHE_BYTES = 512 * 1024 * 1024;
/** Vectors of deleted chunks stay cached until then. Searches ignore them. */
const CACHE_TTL_MS = 10 * 60_000;

interface CachedVectors {
  byChunk: Map<number, Float32Array>;
  /** All vectors written before this transaction are cached. */
  horizon: string;
}

export interface EmbeddingDeps {
  egress: HttpClient;
  secrets: Secrets;
  calls: Pick<ConnectionCalls, 'observe'>;
}

const instances = new WeakMap<HttpClient, SemanticSearch>();

/** Returns the same instance for the same egress, so that callers share its cache. */
export function semanticSearchOf(deps: EmbeddingDeps): SemanticSearch {
  const semantics = instances.get(deps.egress) ?? createSemanticSearch(deps);
  instances.set(deps.egress, semantics);
  return semantics;
}

/**
 * Compares a text with all chunks of an org, exactly, by the org's embedding model. The vectors are cached in this
 * process. Each search reads those added since the last one.
 */
function createSemanticSearch({ egress, secrets, calls }: EmbeddingDeps): SemanticSearch {
  const cache = new LRUCache<string, CachedVectors>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ byChunk }) => 1 + byChunk.size * (byChunk.values().next().value?.byteLength ?? 0),
    ttl: CACHE_TTL_MS,
    noUpdateTTL: true,
  });

  const read = async (db: Db, orgId: string, model: string): Promise<CachedVectors['byChunk']> => {
    const key = `${orgId} ${model}`;
    const { byChunk, horizon: since } = cache.get(key) ?? { byChunk: new Map(), horizon: '0' };
    const horizon = await findHorizon(db);
    for (const { chunk_id, vector } of await listVectors(db, orgId, model, since))
      byChunk.set(chunk_id, floatsOf(vector));
    cache.set(key, { byChunk, horizon });
    return byChunk;
  };

  return {
    async similarities(db, orgId, text) {
      const model = await findEmbeddingModel(db, secrets, orgId);
      if (model === undefined) return new Map();
      const vectors = await read(db, orgId, vectorModelOf(model));
      if (vectors.size === 0) return new Map();
      const [asked] = await embedTexts(calls.observe(egress, { orgId, kind: 'llm', settings: model }), model, [text], {
        inputType: 'query',
        timeoutMs: TIMEOUT_MS,
      }).catch((error: unknown) => {
        if (error instanceof ProviderError) return []; // the search by words still works
        throw error;
      });
      return asked === undefined ? new Map() : cosinesOf(vectors, asked);
    },
  };
}

/** Copies the bytes, as buffers from pg may start at an unaligned offset. */
const floatsOf = (bytes: Buffer): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);

function cosinesOf(vectors: ReadonlyMap<number, Float32Array>, asked: Float32Array): Map<number, number> {
  const cosines = new Map<number, number>();
  for (const [chunkId, vector] of vectors) {
    if (vector.length !== asked.length) continue;
    let cosine = 0;
    for (let nth = 0; nth < asked.length; nth++) cosine += (vector[nth] ?? 0) * (asked[nth] ?? 0);
    cosines.set(chunkId, cosine);
  }
  return cosines;
}
