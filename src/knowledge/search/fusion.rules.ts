const WORD_WEIGHT = 0.5;

/**
 * Ranks chunks by words and by similarity. Both scores are scaled from 0 to 1 over the query's results and count half
 * each. A missing score counts as 0.
 */
export function fuseScores(
  words: ReadonlyMap<number, number>,
  similarities: ReadonlyMap<number, number>,
  chunks: Iterable<number>,
): { chunk_id: number; score: number }[] {
  const ids = [...new Set(chunks)];
  const similarity = ids.flatMap((id) => similarities.get(id) ?? []);
  const [least, most] = [Math.min(...similarity), Math.max(...similarity)];
  const mostWords = Math.max(0, ...ids.map((id) => words.get(id) ?? 0));
  const ofWords = (id: number) => (mostWords > 0 ? (words.get(id) ?? 0) / mostWords : 0);
  const ofSimilarity = (id: number) => {
    const similarity = similarities.get(id);
    if (similarity === undefined) return 0;
    return most > least ? (similarity - least) / (most - least) : 1;
  };
  return ids
    .map((id) => ({ chunk_id: id, score: WORD_WEIGHT * ofWords(id) + (1 - WORD_WEIGHT) * ofSimilarity(id) }))
    .sort((a, b) => b.score - a.score || a.chunk_id - b.chunk_id);
}
