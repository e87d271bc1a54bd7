/** A text that a classifier has not learnt, with its score. */
export interface Guess {
  score: number;
  isRight: boolean;
}

export interface Threshold {
  /** The lowest score with this precision. */
  score: number;
  /** The share of right ones among the texts with this score or more. */
  precision: number;
  /** The share of the texts with the tag that have this score or more. */
  coverage: number;
}

/**
 * Returns the lowest score from which on the precision is reached, or undefined if it is nowhere. One more text is
 * counted as wrong: so 9 right ones without an error are needed for 0.9, and few texts never decide by luck alone.
 */
export function thresholdOf(guesses: readonly Guess[], precision: number): Threshold | undefined {
  const sorted = guesses.toSorted((a, b) => b.score - a.score);
  const total = guesses.filter(({ isRight }) => isRight).length;
  let right = 0;
  let best: Threshold | undefined;
  sorted.forEach(({ score, isRight }, nth) => {
    if (isRight) right++;
    const count = nth + 1;
    const isTied = sorted[count]?.score === score;
    if (!isTied && right / (count + 1) >= precision)
      best = { score, precision: right / count, coverage: right / total };
  });
  return best;
}
