/** Parameters of Okapi BM25: the saturation of repeated words, and the penalty for long texts. */
export const K1 = 1.2;
export const B = 0.75;

/** Statistics of all chunks of an org. */
export interface CorpusStatistics {
  chunks: number;
  averageLength: number;
}

/** Returns the inverse document frequency of a lexeme in this number of chunks. Never negative. */
export const rarityOf = (chunks: number, corpus: CorpusStatistics): number =>
  Math.log(1 + (corpus.chunks - chunks + 0.5) / (chunks + 0.5));

/** Returns a lexeme's share of the score of a chunk. The SQL of the search computes the same. */
export function scoreOf(
  posting: { frequency: number; length: number },
  weight: number,
  corpus: CorpusStatistics,
): number {
  const { frequency, length } = posting;
  return (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / corpus.averageLength));
}
