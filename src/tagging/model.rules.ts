import { type Classifier, scoreOf, spread } from './classifier.rules.ts';
import { BUCKETS, featuresOf } from './features.rules.ts';
import { type Frequencies, rarityOf, vectorsOf } from './vectors.rules.ts';

/** What an org's sessions have taught. It contains no text: only hashes of features, and their weights. */
export interface TagModel {
  frequencies: Frequencies;
  classifiers: Classifier[];
}

/**
 * Returns a model as bytes, 6 for each feature and each weight: at most 6.6 MB for 200 tags. The numbers of features and
 * weights come first.
 */
export function encodeModel({ frequencies, classifiers }: TagModel): Uint8Array {
  const header = [classifiers.length, frequencies.texts, frequencies.buckets.length];
  for (const { buckets, scale, bias } of classifiers) header.push(buckets.length, scale, bias);
  const parts: ArrayBufferView[] = [Float64Array.from(header), frequencies.buckets, frequencies.counts];
  for (const { buckets, weights } of classifiers) parts.push(buckets, weights);
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** Reads a model from its bytes. */
export function decodeModel(bytes: Uint8Array): TagModel {
  let at = 0;
  const take = (length: number) => {
    at += length;
    return new Uint8Array(bytes.subarray(at - length, at)).buffer; // a copy, as numbers start at multiples of their size
  };
  const floats = (count: number) => new Float64Array(take(count * Float64Array.BYTES_PER_ELEMENT));
  const buckets = (count: number) => new Uint32Array(take(count * Uint32Array.BYTES_PER_ELEMENT));
  const [tags = 0, texts = 0, features = 0] = floats(3);
  const shapes = floats(tags * 3);
  const frequencies: Frequencies = {
    texts,
    buckets: buckets(features),
    counts: new Uint16Array(take(features * Uint16Array.BYTES_PER_ELEMENT)),
  };
  const classifiers = Array.from({ length: tags }, (_, nth): Classifier => {
    const [count = 0, scale = 0, bias = 0] = shapes.subarray(nth * 3);
    return {
      scale,
      bias,
      buckets: buckets(count),
      weights: new Int16Array(take(count * Int16Array.BYTES_PER_ELEMENT)),
    };
  });
  return { frequencies, classifiers };
}

/** Returns the scores of each text, one per classifier. */
export function scoreTexts({ frequencies, classifiers }: TagModel, texts: readonly string[]): number[][] {
  const vectors = vectorsOf(texts.map(featuresOf), rarityOf(frequencies));
  const weights = new Float64Array(BUCKETS);
  const scores = texts.map((): number[] => []);
  for (const classifier of classifiers) {
    spread(classifier, weights);
    scores.forEach((ofText, text) => {
      ofText.push(scoreOf(classifier, vectors, text, weights));
    });
    spread(classifier, weights, 0);
  }
  return scores;
}
