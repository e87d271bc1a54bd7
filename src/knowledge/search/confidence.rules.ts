import { K1 } from './bm25.rules.ts';

/** The scores of a passage by words. */
export interface RatedPassage {
  /** The id of its item. */
  id: string;
  /** BM25. */
  words: number;
}

/** The scores that a question could have at best. */
export interface BestScores {
  /** The score that no passage exceeds: of one with each word of the question, many times. */
  question: number;
  /** The rarity of a word that no passage has. */
  rarest: number;
}

/** How much each part counts. They were fitted on questions of help centers whose right item is known. */
const WEIGHT = { score: 0.2, share: 1, lead: 0.5 };

/**
 * Returns how sure it is that the best of some passages has the answer, from 0 to about 3. It can be compared between the
 * questions of an org, unlike the scores. Three things speak for a passage: a high score, a large share of the question's
 * words, and a lead over the best passage of another item: where several items fit alike, mostly none has the answer.
 */
export function confidenceOf(passages: RatedPassage[], best: BestScores): number {
  const [first] = passages;
  if (first === undefined || best.question === 0) return 0;
  const second = passages.find(({ id }) => id !== first.id)?.words ?? 0;
  const unit = Math.max(best.rarest, Number.EPSILON);
  const lead = Math.max(0, first.words - second) / unit;
  return (
    WEIGHT.score * (first.words / unit) +
    WEIGHT.share * Math.min(1, first.words / best.question) +
    Math.min(1, WEIGHT.lead * lead)
  );
}

/** Returns the score of a word of this rarity in a passage that has it many times. */
export const saturatedScore = (rarity: number): number => rarity * (K1 + 1);
