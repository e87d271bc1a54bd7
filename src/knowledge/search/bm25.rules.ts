/** Okapi BM25: how soon a word that comes again counts no more, and how much a long text is held against it. */
export const K1 = 1.2;
export const B = 0.75;

/** What all chunks of an org are together. */
export interface CorpusStatistics {
  chunks: number;
  averageLength: number;
}

/** How much a lexeme tells that this many chunks hold. Never negative. */
export const rarityOf = (chunks: number, corpus: CorpusStatistics): number =>
  Math.log(1 + (corpus.chunks - chunks + 0.5) / (chunks + 0.5));

/** What a lexeme adds to the score of a chunk. The same as the search computes in SQL. */
export function scoreOf(
  posting: { frequency: number; length: number },
  weight: number,
  corpus: CorpusStatistics,
): number {
  const { frequency, length } = posting;
  return (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / corpus.averageLength));
}
