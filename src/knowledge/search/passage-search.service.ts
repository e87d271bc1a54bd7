import type { Db } from '../../db/connect.ts';
import { detectLanguage } from '../../languages/detection.ts';
import { sentencesOf } from '../index/prose.rules.ts';
import { stemsOf } from './citations.rules.ts';
import {
  closenessShareOf,
  confidenceOf,
  headedShare,
  leadOf,
  rankByCloseness,
  type Similarities,
  similarityAmong,
  similarityOnScale,
  strengthOf,
} from './confidence.rules.ts';
import { fuseScores } from './fusion.rules.ts';
import { explainScores, getPassages, type ScoreBasis } from './passages.service.ts';
import { type ChunkSearch, listAllowedChunks, type ScoredChunk, type SearchFilter, scoreChunks } from './queries.ts';
import { type ResolvedQuery, resolveQuery } from './query.service.ts';

/** Maximum candidates of each kind in the combined ranking. */
const MAX_RANKED = 200;
/** Number of similar chunks checked against the filter at once. */
const FILTER_BATCH_SIZE = 2_000;

/**
 * The number of passages that a confidence is measured among. Fewer would hide the next item behind the many passages of
 * the first.
 */
const EVIDENCE_PASSAGES = 30;
/** The passages that a question is compared with word by word. A sentence takes about 15 ms of a processor for the first time. */
const COMPARED_PASSAGES = 3;
/** The parts of a passage that are compared, each with all of the question's words. */
const MAX_COMPARED_PARTS = 24;

/** A query and its filters. */
export interface PassageSearch extends ChunkSearch {
  query: string;
  /** Whether each passage includes the parts of its score. */
  explain: boolean;
}

/** A question and its filters. */
interface EvidenceSearch extends Omit<PassageSearch, 'explain' | 'limit'> {
  /** The language of the question. Detected if it is not known: that takes 90 MB in this process. */
  language?: string | null;
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
 * Returns the best passages for a question, strongest first, with a function for the confidence that the first of some of
 * them has the answer, and whether vectors were compared: a confidence with them says nothing about one without. Searches
 * by words if the model fails on the way.
 */
export async function findEvidence(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { language: known = null, ...search }: EvidenceSearch,
) {
  const whole = { ...search, explain: true, limit: EVIDENCE_PASSAGES };
  const ranked = await rankPassages(db, semantics, orgId, whole);
  const { asked, similarities } = ranked;
  const evidence = await compareStrongest(await ratePassages(ranked, search.query, known), similarities);
  if (evidence === undefined) return findEvidence(db, WORDS_ONLY, orgId, { language: known, ...search });
  return {
    passages: evidence.passages,
    withVectors: similarities.size > 0,
    confidence: (some: { id: string; strength: number }[]): number =>
      asked === undefined && similarities.size === 0 ? 0 : confidenceOf(some, evidence.lead),
  };
}

/** Returns passages with what speaks for each, strongest first. */
async function ratePassages(
  { asked, similarities, passages }: Awaited<ReturnType<typeof rankPassages>>,
  query: string,
  known: string | null,
) {
  const similarity = similarityOf(similarities);
  const language = similarities.scale === undefined ? undefined : (known ?? (await detectLanguage(query)));
  const { scoreUnit, rarities } = asked ?? { scoreUnit: 0, rarities: new Map<string, number>() };
  const rated = passages.map(({ score_parts, ...passage }) => {
    const words = score_parts?.words ?? 0;
    const isForeign = isForeignTo(language, passage.language);
    const parts = {
      words,
      similarity: score_parts?.similarity == null ? null : similarity(score_parts.similarity, isForeign),
      headed: headedShare(new Set([passage.title, ...passage.citation.path].flatMap(stemsOf)), rarities),
    };
    return { ...passage, words, isForeign, strength: strengthOf(parts, scoreUnit) };
  });
  return rated.sort((a, b) => b.strength - a.strength);
}

/**
 * Compares the question of a small index word by word with the strongest passages. Returns the passages and what a lead
 * counts, or undefined if the model could compare and fails.
 */
async function compareStrongest(
  passages: Awaited<ReturnType<typeof ratePassages>>,
  { size, scale, compare }: Similarities,
) {
  const share = closenessShareOf(size);
  if (scale === undefined || compare === undefined || share === 0 || passages.length === 0) return { passages };
  const closeness = await compare(
    passages.slice(0, COMPARED_PASSAGES).map(({ title, content, citation: { path } }) => ({
      title,
      heading: path.join(' > '),
      sentences: partsOf(content),
    })),
  );
  return closeness === undefined
    ? undefined
    : {
        passages: rankByCloseness(passages, closeness, { scale: scale.closeness, share }),
        lead: leadOf(scale.closeness, share),
      };
}

/** Returns the sentences of a passage. In one of very many, short ones are joined. */
function partsOf(content: string): string[] {
  const least = content.length / MAX_COMPARED_PARTS;
  const parts: string[] = [];
  let from: number | undefined;
  for (const { start, end } of sentencesOf(content)) {
    from ??= start;
    if (end - from < least) continue;
    parts.push(content.slice(from, end));
    from = undefined;
  }
  return from === undefined ? parts : [...parts, content.slice(from)];
}

const similarityOf = (similarities: Similarities): ((similarity: number, isForeign: boolean) => number) =>
  similarities.scale === undefined
    ? similarityAmong(similarities.values())
    : similarityOnScale(similarities, similarities.scale);

/** A short question shows no language: it is taken for one in the language of the passage. */
const isForeignTo = (asked: string | undefined, language: string | null): boolean =>
  asked !== undefined && language !== null && asked !== language;

async function rankPassages(
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
