import { K1 } from './bm25.rules.ts';

/** A passage as its question sees it. */
export interface RatedPassage {
  /** The id of its item. */
  id: string;
  /** BM25. */
  words: number;
  /** The share of the question's words in its title and headings, from 0 to 1. Rare words count more. */
  headed: number;
  /**
   * By how many standard deviations it is more like the question than passages of the org are on average. Null without
   * an embedding model.
   */
  likeness: number | null;
}

/** What a question could find at best. */
export interface BestScores {
  /** The score that no passage exceeds: of one with each word of the question, many times. */
  question: number;
  /** The rarity of a word that no passage has. */
  rarest: number;
}

/** How much each part counts. They were fitted on questions of help centers whose right item is known. */
const WEIGHT = { score: 0.2, share: 0.3, headed: 1.25, lead: 0.3, likeness: 0.25 };
const MAX_LEAD = 0.6;
/** What the likeness of a passage and its lead come to where the words alone are right. */
const USUAL_LIKENESS = 1;

/**
 * Returns how sure it is that the best of some passages has the answer, from 0 to about 4. It can be compared between the
 * questions of an org, unlike the scores. Four things speak for a passage: a high score, a large share of the question's
 * words, a title or heading with these words, and a lead over the best passage of another item: where several items fit
 * alike, mostly none has the answer. With an embedding model, likeness and its lead speak for or against it too.
 */
export function confidenceOf(passages: RatedPassage[], best: BestScores): number {
  const [first] = passages;
  if (first === undefined || best.question === 0) return 0;
  const others = passages.filter(({ id }) => id !== first.id);
  const unit = Math.max(best.rarest, Number.EPSILON);
  const lead = Math.max(0, first.words - (others[0]?.words ?? 0)) / unit;
  const byWords =
    WEIGHT.score * (first.words / unit) +
    WEIGHT.share * Math.min(1, first.words / best.question) +
    WEIGHT.headed * first.headed +
    Math.min(MAX_LEAD, WEIGHT.lead * lead);
  if (first.likeness === null) return byWords;
  const likest = others.reduce((most, { likeness }) => Math.max(most, likeness ?? 0), 0);
  return byWords + WEIGHT.likeness * (2 * first.likeness - likest) - USUAL_LIKENESS;
}

/** Returns the score of a word of this rarity in a passage that has it many times. */
export const saturatedScore = (rarity: number): number => rarity * (K1 + 1);

/** Returns how to tell by how many standard deviations a similarity is above the average of all. */
export function likenessAmong(similarities: Iterable<number>): (similarity: number) => number {
  let [count, sum, squares] = [0, 0, 0];
  for (const one of similarities) {
    count++;
    sum += one;
    squares += one * one;
  }
  const average = sum / Math.max(1, count);
  const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, count) - average * average));
  return (similarity) => (deviation === 0 ? 0 : (similarity - average) / deviation);
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
