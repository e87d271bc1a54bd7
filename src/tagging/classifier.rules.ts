import { BUCKETS } from './features.rules.ts';
import type { Vectors } from './vectors.rules.ts';

/** Tells whether a text has one tag: the sum of the weights of its features, times the scale, and the bias. */
export interface Classifier {
  bias: number;
  scale: number;
  /** Ascending. */
  buckets: Uint32Array;
  weights: Int16Array;
}

/** What a text is to a tag: an example, a counterexample, or left out. */
export const EXAMPLE = 1;
export const COUNTEREXAMPLE = -1;
export const LEFT_OUT = 0;

/** Weights of a classifier. The smallest beyond them are dropped. */
const MAX_WEIGHTS = 4_096;
const MAX_PASSES = 12;
/** After this pass, texts that were far on the right side are looked at once more. */
const REVIEW_PASS = 7;
/** The larger, the more an error weighs beside large weights. */
const ERROR_WEIGHT = 2;
const FAR = 0.1;
const GOOD_ENOUGH = 0.02;
const LARGEST_WEIGHT = 2 ** 15 - 1;

/**
 * Learns a classifier: a linear support vector machine with squared hinge loss, by dual coordinate descent. The seed sets
 * the order of the texts. So the same input gives the same classifier.
 */
export function trainClassifier(vectors: Vectors, targets: Int8Array, seed: number): Classifier {
  const weights = new Float64Array(BUCKETS);
  const shares = new Float64Array(targets.length);
  const random = randomOf(seed);
  const texts = [...targets.keys()].filter((text) => targets[text] !== LEFT_OUT);
  const slack = 1 / (2 * ERROR_WEIGHT);
  let bias = 0;

  /** Moves the weights towards the right answer for one text. Returns how wrong it was. */
  const correct = (text: number): { gap: number; isFar: boolean } => {
    const target = targets[text] ?? 0;
    const share = shares[text] ?? 0;
    const slope = target * (bias + product(vectors, text, weights)) - 1 + slack * share;
    if (share === 0 && slope >= 0) return { gap: 0, isFar: slope > FAR };
    const moved = Math.max(share - slope / (2 + slack), 0);
    const step = (moved - share) * target;
    shares[text] = moved;
    bias += step;
    addTo(weights, vectors, text, step);
    return { gap: Math.abs(slope), isFar: false };
  };

  let active = [...texts];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    shuffle(active, random);
    let worst = 0;
    const next = active.filter((text) => {
      const { gap, isFar } = correct(text);
      worst = Math.max(worst, gap);
      return pass === 0 || !isFar;
    });
    if (worst < GOOD_ENOUGH) break;
    active = pass === REVIEW_PASS ? [...texts] : next;
  }
  return pruned(weights, bias);
}

/** Returns how surely a text has the tag. `weights` are those of `spread`. */
export const scoreOf = ({ bias, scale }: Classifier, vectors: Vectors, text: number, weights: Float64Array): number =>
  bias + scale * product(vectors, text, weights);

/** Writes the weights of a classifier into a list of all features. `factor` 0 takes them out again. */
export function spread({ buckets, weights }: Classifier, into: Float64Array, factor: 0 | 1 = 1): void {
  buckets.forEach((bucket, nth) => {
    into[bucket] = factor * (weights[nth] ?? 0);
  });
}

function product({ starts, buckets, values }: Vectors, text: number, weights: Float64Array): number {
  let sum = 0;
  const end = starts[text + 1] ?? 0;
  for (let at = starts[text] ?? 0; at < end; at++) sum += (values[at] ?? 0) * (weights[buckets[at] ?? 0] ?? 0);
  return sum;
}

function addTo(weights: Float64Array, { starts, buckets, values }: Vectors, text: number, factor: number): void {
  const end = starts[text + 1] ?? 0;
  for (let at = starts[text] ?? 0; at < end; at++) {
    const bucket = buckets[at] ?? 0;
    weights[bucket] = (weights[bucket] ?? 0) + factor * (values[at] ?? 0);
  }
}

/** Keeps the largest weights, in 16 bits each. */
function pruned(weights: Float64Array, bias: number): Classifier {
  const size = (bucket: number) => Math.abs(weights[bucket] ?? 0);
  const used: number[] = [];
  weights.forEach((weight, bucket) => {
    if (weight !== 0) used.push(bucket);
  });
  const largest = used.sort((a, b) => size(b) - size(a) || a - b).slice(0, MAX_WEIGHTS);
  const scale = size(largest[0] ?? 0) / LARGEST_WEIGHT || 1;
  const buckets = Uint32Array.from(largest).sort();
  return { bias, scale, buckets, weights: Int16Array.from(buckets, (bucket) => (weights[bucket] ?? 0) / scale) };
}

/** Shuffles a list in place. */
export function shuffle(list: number[], random: () => number): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [list[last], list[other]] = [list[other] ?? 0, list[last] ?? 0];
  }
}

/** Returns numbers from 0 to 1, always the same for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
