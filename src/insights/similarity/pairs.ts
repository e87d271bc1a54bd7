import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { VectorSum } from './vectors.rules.ts';

export interface AlikePair {
  one: string;
  other: string;
  similarity: number;
}

const ROWS_AT_ONCE = 20;

/**
 * Returns the pairs of centroids of at least this similarity, the most similar first. Others get the processor in
 * between. Throws when the signal is aborted.
 */
export async function alikePairs(
  centroids: ReadonlyMap<string, VectorSum>,
  { atLeast, limit, isCentred }: { atLeast: number; limit: number; isCentred: boolean },
  signal: AbortSignal,
): Promise<AlikePair[]> {
  const directions = directionsOf(centroids, isCentred);
  const pairs: AlikePair[] = [];
  for (const [nth, { id: one, parts }] of directions.entries()) {
    if (nth % ROWS_AT_ONCE === 0) await yieldToOthers(undefined, { signal });
    for (const { id: other, parts: others } of directions.slice(nth + 1)) {
      const similarity = product(parts, others);
      if (similarity >= atLeast) pairs.push({ one, other, similarity });
    }
  }
  return pairs.sort((a, b) => b.similarity - a.similarity).slice(0, limit);
}

/** Returns each centroid as a vector of length 1, measured from the mean of all if they are centred. */
function directionsOf(
  centroids: ReadonlyMap<string, VectorSum>,
  isCentred: boolean,
): { id: string; parts: Float32Array }[] {
  const mean: number[] = [];
  let vectors = 0;
  for (const { sum, vectors: count } of centroids.values()) {
    vectors += count;
    sum.forEach((part, nth) => {
      mean[nth] = (mean[nth] ?? 0) + part;
    });
  }
  return [...centroids].map(([id, { sum, vectors: count }]) => {
    const parts = Float32Array.from(sum, (part, nth) => part / count - (isCentred ? (mean[nth] ?? 0) / vectors : 0));
    const length = Math.sqrt(product(parts, parts)) || 1;
    return { id, parts: parts.map((part) => part / length) };
  });
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let nth = 0; nth < one.length; nth++) sum += (one[nth] ?? 0) * (other[nth] ?? 0);
  return sum;
}
