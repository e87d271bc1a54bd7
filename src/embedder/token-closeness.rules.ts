import type { Vocabulary } from './packed-model.ts';

/**
 * A piece counts by how rare it is in all languages of the vocabulary, whose scores are logarithms of probabilities: from
 * `least` for those like "the" to `most`. Pieces without a letter or digit do not count.
 */
const PIECE_WEIGHT = { common: 6, least: 0.5, most: 7 };
/** The weight from which on a piece is rare. */
const RARE_WEIGHT = 2.5;
/** The cosine at which it is as likely as not that a piece has a counterpart, and how far around it that is unclear. */
const COUNTERPART = { cosine: 0.9, width: 0.02 };
const HAS_WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Returns how much a piece of a question counts. */
export function weightOfPiece({ pieces, scores }: Vocabulary, id: number): number {
  if (!HAS_WORD_CHARACTER.test(pieces[id] ?? '')) return 0;
  const { common, least, most } = PIECE_WEIGHT;
  return Math.min(most, Math.max(least, -(scores[id] ?? 0) - common));
}

/** Returns for each piece of a question the highest cosine with a piece of a text, as late interaction does (ColBERT, Khattab 2020). */
export function bestCosines(question: Float32Array[], text: Iterable<Float32Array>): number[] {
  const best = question.map(() => -1);
  for (const state of text)
    for (const [nth, asked] of question.entries()) best[nth] = Math.max(best[nth] ?? -1, productOf(asked, state));
  return best;
}

/** Returns for each of the pieces the highest of its cosines with several texts. */
export const highestOf = (pieces: number, cosines: number[][]): number[] =>
  Array.from({ length: pieces }, (_, nth) => Math.max(-1, ...cosines.map((ofText) => ofText[nth] ?? -1)));

/** Returns the mean of values by their weights, -1 if all weights are 0. */
export function weightedMean(values: number[], weights: number[]): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return all === 0 ? -1 : values.reduce((sum, value, nth) => sum + value * (weights[nth] ?? 0), 0) / all;
}

/** Returns the cosines of the pieces that are rare. */
export const cosinesOfRare = (cosines: number[], weights: number[]): number[] =>
  cosines.filter((_, nth) => (weights[nth] ?? 0) >= RARE_WEIGHT);

/** Returns how much a piece with this highest cosine counts as one that has a counterpart, from 0 to 1. */
export const counterpartShare = (cosine: number): number =>
  1 / (1 + Math.exp(-(cosine - COUNTERPART.cosine) / COUNTERPART.width));

/** Returns the scalar product of two vectors of the same length. */
export function productOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let nth = 0; nth < a.length; nth++) sum += (a[nth] ?? 0) * (b[nth] ?? 0);
  return sum;
}

/** Returns the rows of a table, each scaled to length 1. */
export function normalizedRows(values: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: values.length / width }, (_, nth) => {
    const row = values.slice(nth * width, (nth + 1) * width);
    const length = Math.sqrt(productOf(row, row)) || 1;
    return row.map((value) => value / length);
  });
}
