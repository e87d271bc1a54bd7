import type { Db } from '../../db/connect.ts';
import type { Closeness } from '../../embedder/embedder.ts';
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
  unitScoreOf,
} from './confidence.rules.ts';
import { type PassageSearch, rankPassages, type SemanticSearch, WORDS_ONLY } from './passage-search.service.ts';

/**
 * The number of passages that a confidence is measured among. Fewer would hide the next item behind the many passages of
 * the first.
 */
const EVIDENCE_PASSAGES = 30;
/** The passages that a question is compared with word by word. A sentence takes about 15 ms of a processor for the first time. */
const COMPARED_PASSAGES = 3;
/** The parts of a passage that are compared, each with all of the question's words. */
const MAX_COMPARED_PARTS = 24;

/** A question and its filters. */
interface EvidenceSearch extends Omit<PassageSearch, 'explain' | 'limit'> {
  /** The language of the question. Detected if it is not known: that takes 90 MB in this process. */
  language?: string | null;
}

/**
 * Returns the best passages for a question, strongest first, with a function for the confidence that the first of them has
 * the answer, also as if some items were not there, and whether vectors were compared: a confidence with them says nothing
 * about one without. Searches by words if the model fails on the way.
 */
export async function findEvidence(db: Db, semantics: SemanticSearch, orgId: string, search: EvidenceSearch) {
  const evidence = await rateEvidence(db, semantics, orgId, search);
  if (evidence === undefined) return findEvidence(db, WORDS_ONLY, orgId, search);
  const { passages: rated, asked, similarities } = evidence;
  const isCompared = (some: typeof rated) => some.some(({ closeness }) => closeness !== undefined);
  const scale = isCompared(rated) ? similarities.scale?.closeness : undefined;
  const share = closenessShareOf(similarities.size);
  const rank = (some: typeof rated) => (scale === undefined ? some : rankByCloseness(some, { scale, share }));
  const passages = rank(rated);
  return {
    passages,
    withVectors: similarities.size > 0,
    confidence: (except: readonly string[] = []): number => {
      if (asked === undefined && similarities.size === 0) return 0;
      const isThere = ({ id }: { id: string }) => !except.includes(id);
      const left = rated.filter(isThere);
      const ranked = isCompared(left) ? rank(left) : passages.filter(isThere);
      return confidenceOf(ranked, scale === undefined ? undefined : leadOf(share));
    },
  };
}

/**
 * Returns the best passages for a question with what speaks for each, strongest first, and with how close the few strongest
 * of a small index are word by word. Undefined if the model could compare and fails.
 */
export async function rateEvidence(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { language = null, ...search }: EvidenceSearch,
) {
  const whole = { ...search, explain: true, limit: EVIDENCE_PASSAGES };
  const ranked = await rankPassages(db, semantics, orgId, whole);
  const rated = await ratePassages(ranked, search.query, language);
  const closeness = await compareStrongest(rated, ranked.similarities);
  if (closeness === undefined) return undefined;
  return { ...ranked, passages: rated.map((passage, nth) => ({ ...passage, closeness: closeness[nth] })) };
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
    const cosine = score_parts?.similarity ?? null;
    const isForeign = isForeignTo(language, passage.language);
    const parts = {
      words,
      similarity: cosine === null ? null : similarity(cosine, isForeign),
      headed: headedShare(new Set([passage.title, ...passage.citation.path].flatMap(stemsOf)), rarities),
    };
    return {
      ...passage,
      words,
      unitScore: unitScoreOf(words, scoreUnit),
      headed: parts.headed,
      cosine: cosine ?? 0,
      isForeign,
      strength: strengthOf(parts, scoreUnit),
    };
  });
  return rated.sort((a, b) => b.strength - a.strength);
}

/** Compares the question of a small index word by word with the strongest passages. */
async function compareStrongest(
  passages: Awaited<ReturnType<typeof ratePassages>>,
  { size, scale, compare }: Similarities,
): Promise<Closeness[] | undefined> {
  if (scale === undefined || compare === undefined || closenessShareOf(size) === 0 || passages.length === 0) return [];
  return compare(
    passages.slice(0, COMPARED_PASSAGES).map(({ title, content, citation: { path } }) => ({
      title,
      heading: path.join(' > '),
      content,
      sentences: partsOf(content),
    })),
  );
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
