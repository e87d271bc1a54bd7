import { BREAK, isUnspaced, tokensOf } from '../recognition/folding.rules.ts';

/** Features are told apart by a hash of this many values, so that a model contains none of the customers' words. */
export const BUCKETS = 2 ** 18;
const MAX_WORD_CHARACTERS = 30;
const SHORTEST_GRAM = 3;
const LONGEST_GRAM = 5;
const LETTERS_PER_UNSPACED_GRAM = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const HASH_SHIFT = 18;

const MAX_COUNT = 255;

/** The number of occurrences of each feature of a text. Thousands of texts are in memory at once. */
export interface FeatureCounts {
  buckets: Uint32Array;
  counts: Uint8Array;
}

/**
 * Counts the words of a text, pairs of neighboring words, and sequences of 3 to 5 characters in words. Words are folded,
 * and all digits are the same. In scripts without spaces between words, sequences of 1 to 3 letters take their place.
 */
export function featuresOf(text: string): FeatureCounts {
  const counts = new Map<number, number>();
  const add = (kind: string, feature: string) => {
    const bucket = bucketOf(kind, feature);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  };
  let previous: string[] = [];
  for (const token of tokensOf(text)) {
    const word = token.replace(/\p{N}/gu, '0').slice(0, MAX_WORD_CHARACTERS);
    previous = word === BREAK ? [] : [...previous, word].slice(-LETTERS_PER_UNSPACED_GRAM);
    if (word === BREAK) continue;
    add('word', word);
    if (previous.length > 1) add('word', previous.slice(-2).join(' '));
    if (isUnspaced(word)) {
      if (previous.length === LETTERS_PER_UNSPACED_GRAM) add('word', previous.join(' '));
    } else addGrams(word, (gram) => add('characters', gram));
  }
  const capped = Uint8Array.from(counts.values(), (count) => Math.min(count, MAX_COUNT));
  return { buckets: Uint32Array.from(counts.keys()), counts: capped };
}

function addGrams(word: string, add: (gram: string) => void): void {
  const padded = ` ${word} `;
  for (let length = SHORTEST_GRAM; length <= LONGEST_GRAM; length++)
    for (let at = 0; at + length <= padded.length; at++) add(padded.slice(at, at + length));
}

/** Returns the FNV-1a hash of a feature, folded to the number of buckets. */
function bucketOf(kind: string, feature: string): number {
  let hash = FNV_OFFSET;
  for (const text of [kind, feature])
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return ((hash >>> HASH_SHIFT) ^ hash) & (BUCKETS - 1);
}
