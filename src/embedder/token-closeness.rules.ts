import type { Vocabulary } from './packed-model.ts';

/**
 * A piece counts by how rare it is in all languages of the vocabulary, whose scores are logarithms of probabilities: from
 * `least` for those like "the" to `most`. Pieces without a letter or digit do not count.
 */
const PIECE_WEIGHT = { common: 6, least: 0.5, most: 7 };
const HAS_WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Returns how much a piece of a question counts. */
export function weightOfPiece({ pieces, scores }: Vocabulary, id: number): number {
  if (!HAS_WORD_CHARACTER.test(pieces[id] ?? '')) return 0;
  const { common, least, most } = PIECE_WEIGHT;
  return Math.min(most, Math.max(least, -(scores[id] ?? 0) - common));
}

/**
 * Returns how well a text covers a question, as late interaction does (ColBERT, Khattab 2020): for each piece of the
 * question the highest cosine with a piece of the text, weighted. All vectors are of length 1.
 */
export function closenessOf(
  question: { states: Float32Array[]; weights: number[] },
  text: Iterable<Float32Array>,
): number {
  const best = question.states.map(() => -1);
  for (const state of text) {
    for (const [nth, asked] of question.states.entries())
      best[nth] = Math.max(best[nth] ?? -1, productOf(asked, state));
  }
  const all = question.weights.reduce((sum, weight) => sum + weight, 0);
  return all === 0 ? -1 : best.reduce((sum, value, nth) => sum + value * (question.weights[nth] ?? 0), 0) / all;
}

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
