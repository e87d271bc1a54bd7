import { ProviderError } from '../../errors.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import { embedTexts } from '../../providers/llm/embeddings.ts';
import type { Secrets } from '../../secrets.ts';
import type { SemanticSearch } from '../search/passage-search.service.ts';
import { findEmbeddingModel, vectorModelOf } from './service.ts';
import { createVectorCache } from './vector-cache.ts';

const TIMEOUT_MS = 5_000;
const CACHE_LIMITS = { maxBytes: 256 * 1024 * 1024, maxOrgBytes: 192 * 1024 * 1024 };

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

/** Compares a text with all chunks of an org, each of them, by the org's embedding model. */
function createSemanticSearch({ egress, secrets, calls }: EmbeddingDeps): SemanticSearch {
  const cache = createVectorCache(CACHE_LIMITS);

  return {
    async similarities(db, orgId, text) {
      const model = await findEmbeddingModel(db, secrets, orgId);
      if (model === undefined) return new Map();
      const vectors = await cache.read(db, orgId, vectorModelOf(model));
      if (vectors.isEmpty) return new Map();
      const [asked] = await embedTexts(calls.observe(egress, { orgId, kind: 'llm', settings: model }), model, [text], {
        inputType: 'query',
        timeoutMs: TIMEOUT_MS,
      }).catch((error: unknown) => {
        if (error instanceof ProviderError) return []; // the search by words still works
        throw error;
      });
      return asked === undefined ? new Map() : vectors.similarities(asked);
    },
  };
}
