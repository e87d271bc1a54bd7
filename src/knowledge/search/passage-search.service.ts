import type { Db } from '../../db/connect.ts';
import type { Similarities } from './confidence.rules.ts';
import { fuseScores } from './fusion.rules.ts';
import { explainScores, getPassages, type ScoreBasis } from './passages.service.ts';
import { type ChunkSearch, listAllowedChunks, type ScoredChunk, type SearchFilter, scoreChunks } from './queries.ts';
import { type ResolvedQuery, resolveQuery } from './query.service.ts';

/** Maximum candidates of each kind in the combined ranking. */
const MAX_RANKED = 200;
/** Number of similar chunks checked against the filter at once. */
const FILTER_BATCH_SIZE = 2_000;

/** A query and its filters. */
export interface PassageSearch extends ChunkSearch {
  query: string;
  /** Whether each passage includes the parts of its score. */
  explain: boolean;
}

/** Search by the org's embedding model. */
export interface SemanticSearch {
  /**
   * Returns the cosine similarity of the org's chunks to a text, from -1 to 1. Empty if the org has no model, or if the
   * model is unavailable.
   */
  similarities(db: Db, orgId: string, text: string): Promise<Similarities>;
  /** Whether it asks another system. */
  asksProvider(db: Db, orgId: string): Promise<boolean>;
}

/** Search without an embedding model. */
export const WORDS_ONLY: SemanticSearch = {
  similarities: async () => new Map(),
  asksProvider: async () => false,
};

/**
 * Returns the best passages for a question from all of the org's knowledge, each with its citation. Searches by words,
 * and by meaning if the org has a model.
 */
export async function findPassages(db: Db, semantics: SemanticSearch, orgId: string, search: PassageSearch) {
  const { passages } = await rankPassages(db, semantics, orgId, search);
  return passages.map(({ language: _, ...passage }) => passage);
}

/**
 * Returns the best passages for a question, best first, each with its citation and with the parts of its score if they are
 * asked for, and what they were found by.
 */
export async function rankPassages(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { query, limit, explain, ...filter }: PassageSearch,
) {
  const [asked, similarities] = await Promise.all([
    resolveQuery(db, orgId, query),
    semantics.similarities(db, orgId, query),
  ]);
  const basis = { asked, similarities };
  const candidates =
    similarities.size === 0
      ? await findByWords(db, orgId, asked, { ...filter, limit })
      : (await findByBoth(db, orgId, basis, filter)).slice(0, limit);
  if (candidates.length === 0) return { ...basis, passages: [] };
  const parts = explain ? await explainScores(db, orgId, candidates, basis) : undefined;
  return { ...basis, passages: await getPassages(db, orgId, candidates, { query, parts }) };
}

const findByWords = async (
  db: Db,
  orgId: string,
  asked: ResolvedQuery | undefined,
  search: ChunkSearch,
): Promise<ScoredChunk[]> => (asked === undefined ? [] : scoreChunks(db, orgId, asked, search));

async function findByBoth(
  db: Db,
  orgId: string,
  { asked, similarities }: ScoreBasis,
  filter: SearchFilter,
): Promise<ScoredChunk[]> {
  const byWords = await findByWords(db, orgId, asked, { ...filter, limit: MAX_RANKED });
  const words = new Map(byWords.map(({ chunk_id, score }) => [chunk_id, score]));
  const alike = await findSimilar(db, orgId, similarities, filter);
  return fuseScores(words, similarities, [...words.keys(), ...alike]);
}

/** Returns the most similar chunks allowed by the filter. Deleted chunks are left out. */
async function findSimilar(
  db: Db,
  orgId: string,
  similarities: ReadonlyMap<number, number>,
  filter: SearchFilter,
): Promise<number[]> {
  const sorted = [...similarities].sort(([, a], [, b]) => b - a).map(([id]) => id);
  const found: number[] = [];
  for (let from = 0; from < sorted.length && found.length < MAX_RANKED; from += FILTER_BATCH_SIZE) {
    const some = sorted.slice(from, from + FILTER_BATCH_SIZE);
    const allowed = new Set(await listAllowedChunks(db, orgId, some, filter));
    found.push(...some.filter((id) => allowed.has(id)));
  }
  return found.slice(0, MAX_RANKED);
}
