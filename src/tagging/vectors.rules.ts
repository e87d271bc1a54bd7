import { BUCKETS, type FeatureCounts } from './features.rules.ts';

/** In how many of the learnt texts each feature occurs. Features of one text, or none, are left out. */
export interface Frequencies {
  texts: number;
  /** Ascending. */
  buckets: Uint32Array;
  counts: Uint16Array;
}

/** Texts as vectors of length 1: the features of the nth are those from the nth start on. */
export interface Vectors {
  starts: Uint32Array;
  buckets: Uint32Array;
  values: Float32Array;
}

const MAX_COUNT = 2 ** 16 - 1;

/** Counts in how many of the texts each feature occurs. */
export function frequenciesOf(texts: readonly FeatureCounts[]): Frequencies {
  const byBucket = new Uint32Array(BUCKETS);
  for (const text of texts) for (const bucket of text.buckets) byBucket[bucket] = (byBucket[bucket] ?? 0) + 1;
  const buckets: number[] = [];
  byBucket.forEach((count, bucket) => {
    if (count > 1) buckets.push(bucket);
  });
  const counts = buckets.map((bucket) => Math.min(MAX_COUNT, byBucket[bucket] ?? 0));
  return { texts: texts.length, buckets: Uint32Array.from(buckets), counts: Uint16Array.from(counts) };
}

/** Returns the weight of each feature: the rarer, the more. One that is new counts as one that occurs once. */
export function rarityOf({ texts, buckets, counts }: Frequencies): Float32Array {
  const weight = (count: number) => Math.log((1 + texts) / (1 + count)) + 1;
  const rarity = new Float32Array(BUCKETS).fill(weight(1));
  buckets.forEach((bucket, nth) => {
    rarity[bucket] = weight(counts[nth] ?? 1);
  });
  return rarity;
}

/** Returns texts as vectors. New features count too, so that a text about something else is near to nothing learnt. */
export function vectorsOf(texts: readonly FeatureCounts[], rarity: Float32Array): Vectors {
  const starts = new Uint32Array(texts.length + 1);
  texts.forEach((text, nth) => {
    starts[nth + 1] = (starts[nth] ?? 0) + text.buckets.length;
  });
  const buckets = new Uint32Array(starts[texts.length] ?? 0);
  const values = new Float32Array(buckets.length);
  let at = 0;
  texts.forEach((text, nth) => {
    let squares = 0;
    text.buckets.forEach((bucket, of) => {
      const value = (1 + Math.log(text.counts[of] ?? 1)) * (rarity[bucket] ?? 0);
      buckets[at] = bucket;
      values[at] = value;
      squares += value * value;
      at++;
    });
    const length = Math.sqrt(squares);
    for (let of = starts[nth] ?? 0; of < at; of++) values[of] = (values[of] ?? 0) / length;
  });
  return { starts, buckets, values };
}
