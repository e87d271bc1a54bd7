import { findNearest, measureOf } from '../../src/insights/similarity/centroids.rules.ts';
import {
  addVector,
  emptySum,
  type StoredVector,
  storedVectorOf,
  type VectorSum,
} from '../../src/insights/similarity/vectors.rules.ts';
import { ALL_TEXTS, wordVectorOf } from '../../src/insights/similarity/words.rules.ts';
import { featuresOf } from '../../src/tagging/features.rules.ts';

/** Assigns vectors to clusters in one pass, as insights do. Returns the cluster of each. */
export function clustersOf(vectors: readonly StoredVector[], space: string): string[] {
  const centroids = new Map<string, VectorSum>();
  const mean = emptySum(vectors[0]?.length ?? 0);
  return vectors.map((vector, nth) => {
    addVector(mean, vector);
    const id = findNearest(vector, centroids, mean, measureOf(space))?.id ?? String(nth);
    const sum = centroids.get(id) ?? emptySum(vector.length);
    addVector(sum, vector);
    centroids.set(id, sum);
    return id;
  });
}

/** Returns the vectors of the words of texts that come one after the other. */
export function wordVectorsOf(texts: readonly string[]): StoredVector[] {
  const counts = new Map<number, number>();
  return texts.map((text) => {
    const features = featuresOf(text);
    for (const bucket of [ALL_TEXTS, ...features.buckets]) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    return storedVectorOf(wordVectorOf(features, counts));
  });
}

interface Agreement {
  /** Normalized mutual information, by the mean of both entropies. */
  nmi: number;
  /** Adjusted Rand index (Hubert and Arabie, 1985). */
  ari: number;
}

/** Returns how far two partitions of the same things agree: 1 for the same, 0 for chance. */
export function agreementOf(one: readonly string[], other: readonly string[]): Agreement {
  const count = one.length;
  const ones = countsOf(one);
  const others = countsOf(other);
  const both = countsOf(one.map((name, nth) => `${name}\n${other[nth]}`));
  const entropy = (counts: Map<string, number>) => sumOf(counts, (n) => -(n / count) * Math.log(n / count));
  const shared = entropy(ones) + entropy(others) - entropy(both);
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const [inOne, inOther, inBoth] = [ones, others, both].map((counts) => sumOf(counts, pairs)) as [
    number,
    number,
    number,
  ];
  const byChance = (inOne * inOther) / pairs(count);
  return {
    nmi: (2 * shared) / (entropy(ones) + entropy(others)),
    ari: (inBoth - byChance) / ((inOne + inOther) / 2 - byChance),
  };
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const sumOf = (counts: Map<string, number>, of: (count: number) => number): number =>
  [...counts.values()].reduce((sum, count) => sum + of(count), 0);
