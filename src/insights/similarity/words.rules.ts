import type { FeatureCounts } from '../../tagging/features.rules.ts';

/** The space of vectors made of words alone. */
export const WORDS = 'words';
const BUILT_IN = 'built-in:';
/** Returns the space of the vectors of an embedding model. */
export const spaceOfModel = (model: string): string => `model:${model}`;
/** Returns the space of the built-in model: a provider may call another one by the same name. */
export const spaceOfBuiltIn = (model: string): string => `${BUILT_IN}${model}`;
export const isBuiltIn = (space: string): boolean => space.startsWith(BUILT_IN);

export const WORD_DIMENSIONS = 512;
const MIX = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35] as const;

/** The bucket in every text of an org: it counts the texts. No feature is in it. */
export const ALL_TEXTS = -1;
/** In how many of an org's texts features occur, by bucket, and how many texts there are. */
export type TermCounts = ReadonlyMap<number, number>;

/**
 * Returns a text as a vector of length 1: its features, each the heavier the rarer it is, spread by a hash over 512
 * dimensions with a sign. So two texts are similar by their shared features, and features meeting in a dimension cancel
 * out.
 */
export function wordVectorOf({ buckets, counts }: FeatureCounts, known: TermCounts): Float32Array {
  const vector = new Float32Array(WORD_DIMENSIONS);
  const texts = known.get(ALL_TEXTS) ?? 1;
  buckets.forEach((bucket, nth) => {
    const rarity = Math.log((1 + texts) / (1 + Math.min(known.get(bucket) ?? 1, texts))) + 1;
    const hash = mixed(bucket);
    const at = (hash >>> 1) % WORD_DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? 1 : -1) * (1 + Math.log(counts[nth] ?? 1)) * rarity;
  });
  const length = Math.hypot(...vector) || 1;
  return vector.map((part) => part / length);
}

/** Spreads neighboring numbers apart (the finalizer of MurmurHash3). */
function mixed(bucket: number): number {
  let hash = Math.imul(bucket ^ MIX[0], MIX[1]);
  hash = Math.imul(hash ^ (hash >>> 13), MIX[2]);
  return hash ^ (hash >>> 16);
}
