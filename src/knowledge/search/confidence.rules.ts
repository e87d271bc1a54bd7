import type { Closeness, ComparedPassage } from '../../embedder/embedder.ts';
import { type AnswerNetwork, logOddsOf } from './answer-network.rules.ts';
import { type FeaturedPassage, featuresOf } from './closeness-features.rules.ts';

/** A passage as its question sees it. */
export interface RatedPassage {
  /** BM25. */
  words: number;
  /** The share of the question's words in its title and headings, from 0 to 1. Rare words count more. */
  headed: number;
  /** How much more like the question it is than most passages of the org: see similarityAmong. Null without a model. */
  similarity: number | null;
}

/**
 * How much each part counts. The weights were chosen on four public sets of questions whose right item is known. They are
 * measured by `bench/ai/answers`.
 */
const WEIGHT = { score: 0.3, headed: 0.4, similarity: 0.7, lead: 0.4 };
/** Strengths with similarity are divided by this. They are then about as high as those by words alone. */
const LIKENESS_SCALE = 2;

/**
 * Returns in which unit the scores of a question are measured, so that they can be compared between the questions of an
 * org. It is the rarity of a word that one passage has, and grows slowly with the number of the question's words: a long
 * question finds high scores everywhere. Among few passages, a word that none has would be far rarer than any found one.
 */
export const scoreUnitOf = (rarities: ReadonlyMap<string, number>, rarest: number): number =>
  rarest ** 0.75 * [...rarities.values()].reduce((sum, one) => sum + one, 0) ** 0.25;

/** Returns a score in the unit of its question. */
export const unitScoreOf = (words: number, scoreUnit: number): number => words / Math.max(scoreUnit, Number.EPSILON);

/**
 * Returns how much speaks for a passage: its score, a title or heading with the question's words, and with an embedding
 * model how alike they are.
 */
export function strengthOf({ words, headed, similarity }: RatedPassage, scoreUnit: number): number {
  const byWords = WEIGHT.score * unitScoreOf(words, scoreUnit) + WEIGHT.headed * headed;
  return similarity === null ? byWords : (byWords + WEIGHT.similarity * similarity) / LIKENESS_SCALE;
}

/**
 * Returns how sure it is that the first of some passages, strongest first, has the answer: from 0 to about 3. It is the
 * strength of the passage, and more with a lead over the next item: where several items fit alike, mostly none has the
 * answer.
 */
export function confidenceOf(passages: { id: string; strength: number }[], lead = WEIGHT.lead): number {
  const [first] = passages;
  if (first === undefined) return 0;
  const next = passages.find(({ id }) => id !== first.id);
  return Math.max(0, first.strength + lead * (first.strength - (next?.strength ?? 0)));
}

/**
 * Returns how to tell how much more alike a passage is than most are: 0 for the median of all similarities, 1 for the
 * passage at their top percent, or for the second best of fewer than 200. Of a few passages that one may be hardly above
 * the median, so 1 is at least two standard deviations above it.
 */
export const similarityAmong = (similarities: Iterable<number>): ((similarity: number) => number) =>
  similarityAmongSorted(descending(similarities));

const descending = (values: Iterable<number>): Float64Array => Float64Array.from(values).sort().reverse();

function similarityAmongSorted(sorted: Float64Array): (similarity: number) => number {
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const top = sorted[Math.max(1, Math.floor(sorted.length / 100))] ?? median;
  const spread = Math.max(top - median, 2 * deviationOf(sorted));
  return (similarity) => (spread > 0 ? (similarity - median) / spread : 0);
}

/** How the cosines of a model are read whose scale is known. Another model gives others for the same texts. */
export interface SimilarityScale {
  /** The cosine of a question with a passage that is about its subject, and does not answer it. */
  related: number;
  /** How much lower cosines are between languages. */
  betweenLanguages: number;
  /** What a cosine above the first counts, and one above the org's median. */
  absolute: number;
  relative: number;
  closeness: ClosenessScale;
}

/** How the closeness of a question and a passage is read. */
export interface ClosenessScale {
  network: AnswerNetwork;
  /** The strength of a passage that answers its question as likely as not, and how much the logarithm of the odds counts. */
  even: number;
  unit: number;
}

/** The cosine similarities of chunks to a question. */
export interface Similarities extends ReadonlyMap<number, number> {
  /** The scale of the model, if it is known. */
  scale?: SimilarityScale | undefined;
  /** Compares the question with passages word by word. Undefined if the model cannot, or not now. */
  compare?: (passages: ComparedPassage[]) => Promise<Closeness[] | undefined>;
}

/** Passages up to which an index is small, and from which on it is large. */
export const SMALL_INDEX = 25;
export const LARGE_INDEX = 250;

/** Passages from which on questions are not compared word by word: the words of so many are not kept in memory. */
export const MEDIUM_INDEX = 100;

/** Returns how much a word by word comparison counts in an index of this many passages: 1 in a small one, 0 if it is not made. */
export const closenessShareOf = (passages: number): number => 1 - placeBetween(SMALL_INDEX, MEDIUM_INDEX, passages);

/** Returns how large an index of this many passages is, from 0 for a small one to 1. */
export const largenessOf = (passages: number): number => placeBetween(SMALL_INDEX, LARGE_INDEX, passages);

/**
 * Returns how to tell how alike a question and a passage are, by a model whose scale is known. Among few passages the
 * first is always far above the others, so what counts there is the cosine itself. Among many it is that distance.
 */
export function similarityOnScale(
  similarities: ReadonlyMap<number, number>,
  { related, betweenLanguages, absolute, relative }: SimilarityScale,
): (similarity: number, isForeign: boolean) => number {
  const sorted = descending(similarities.values());
  const among = similarityAmongSorted(sorted);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const largeness = largenessOf(similarities.size);
  return (similarity, isForeign) => {
    const comparable = similarity + (isForeign ? betweenLanguages : 0);
    const known = absolute * (comparable - related) + relative * (similarity - median);
    return largeness * among(similarity) + (1 - largeness) * known;
  };
}

/** A passage that may have been compared with its question word by word. */
export interface ComparedEvidence extends FeaturedPassage {
  closeness: Closeness | undefined;
}

/**
 * Returns passages with their strength by a word by word comparison, strongest first. Few passages are compared so: the
 * others remain behind them. One vector for a question and one for a passage show that they are about one subject. The
 * comparison shows whether each word of the question has a counterpart. It counts as the given share of the strength.
 */
export function rankByCloseness<Passage extends ComparedEvidence>(
  passages: Passage[],
  { scale: { network, even, unit }, share }: { scale: ClosenessScale; share: number },
): Passage[] {
  const compared = passages.flatMap((passage) => {
    const { closeness } = passage;
    return closeness === undefined ? [] : [{ passage, closeness }];
  });
  const ranked = featuresOf(compared).flatMap((features, nth) => {
    const passage = compared[nth]?.passage;
    if (passage === undefined) return [];
    const byCloseness = even + unit * logOddsOf(network, features);
    return [{ ...passage, strength: (1 - share) * passage.strength + share * byCloseness }];
  });
  const weakest = Math.min(...ranked.map(({ strength }) => strength));
  const others = passages.filter(({ closeness }) => closeness === undefined);
  return [
    ...ranked.sort((a, b) => b.strength - a.strength),
    ...others.map((passage) => ({ ...passage, strength: Math.min(passage.strength, weakest) })),
  ];
}

/** Returns how much the lead counts in a confidence that is by closeness to this share: the network knows the lead. */
export const leadOf = (share: number): number => (1 - share) * WEIGHT.lead;

/** Returns where a number is between two others on a logarithmic scale, from 0 to 1. */
export const placeBetween = (least: number, most: number, value: number): number =>
  Math.min(1, Math.max(0, Math.log(Math.max(1, value) / least) / Math.log(most / least)));

function deviationOf(values: Float64Array): number {
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length);
}

/** Returns the share of a question's words, by their rarity, that a title and headings have. */
export function headedShare(wordsOfHeadings: ReadonlySet<string>, rarities: ReadonlyMap<string, number>): number {
  let [found, all] = [0, 0];
  for (const [word, rarity] of rarities) {
    all += rarity;
    if (wordsOfHeadings.has(word)) found += rarity;
  }
  return all === 0 ? 0 : found / all;
}
