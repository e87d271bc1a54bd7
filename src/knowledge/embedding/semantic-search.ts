import type { SemanticSearch } from '../search/passage-search.service.ts';
import { findConnectedModel, findSearchModel, type KnowledgeModelDeps } from './models.ts';
import { createVectorCache } from './vector-cache.ts';

const CACHE_LIMITS = { maxBytes: 256 * 1024 * 1024, maxOrgBytes: 192 * 1024 * 1024 };

/** Creates the comparison of a text with all chunks of an org, each of them, by the model that has embedded them. */
export function createSemanticSearch(deps: KnowledgeModelDeps): SemanticSearch {
  const cache = createVectorCache(CACHE_LIMITS);
  return {
    async similarities(db, orgId, text) {
      const model = await findSearchModel(db, orgId, deps);
      if (model === undefined) return new Map();
      const vectors = await cache.read(db, orgId, model.name);
      if (vectors.isEmpty) return new Map();
      const vector = await model.embedQuery(text);
      if (vector === undefined) return new Map();
      return Object.assign(await vectors.similarities(vector), { scale: model.scale });
    },
    asksProvider: async (db, orgId) => (await findConnectedModel(db, deps.secrets, orgId)) !== undefined,
  };
}
