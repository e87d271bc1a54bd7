import { elementAt } from '../../collections/checked-access.ts';

const EMPTY = -1;
const FIRST_BUCKETS = 1 << 12;
/** FNV-1a for 32 bits. */
const PRIME = 0x01000193;

/** Numbers for strings that are parts of texts. They are found without a copy of the part. */
export interface NumberTable {
  /** Returns the number of a part of a text. An unknown part gets the next number. */
  numberOf(text: string, from: number, to: number): number;
  /** Returns the part with a number. */
  at(number: number): string;
}

/**
 * Returns an empty table: open addressing with linear probing. Hashes depend on a secret number, so that texts whose
 * words all have the same one are hard to prepare.
 */
export function createNumberTable(): NumberTable {
  const [seed = 0] = crypto.getRandomValues(new Int32Array(1));
  const strings: string[] = [];
  /** Each one has a hash and a number. */
  let buckets = new Int32Array(2 * FIRST_BUCKETS).fill(EMPTY);
  let mask = FIRST_BUCKETS - 1;

  const hashOf = (text: string, from: number, to: number): number => {
    let hash = seed;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
    return hash ^ (hash >>> 15);
  };
  const put = (hash: number, number: number) => {
    let bucket = hash & mask;
    while (buckets[2 * bucket + 1] !== EMPTY) bucket = (bucket + 1) & mask;
    buckets[2 * bucket] = hash;
    buckets[2 * bucket + 1] = number;
  };
  const grow = () => {
    const before = buckets;
    buckets = new Int32Array(2 * before.length).fill(EMPTY);
    mask = 2 * mask + 1;
    for (let at = 0; at < before.length; at += 2)
      if (before[at + 1] !== EMPTY) put(before[at] ?? 0, before[at + 1] ?? EMPTY);
  };

  return {
    numberOf(text, from, to) {
      const hash = hashOf(text, from, to);
      for (let bucket = hash & mask; ; bucket = (bucket + 1) & mask) {
        const number = buckets[2 * bucket + 1] ?? EMPTY;
        if (number === EMPTY) break;
        if (buckets[2 * bucket] === hash && isPart(strings[number] ?? '', text, from, to)) return number;
      }
      const number = strings.push(copyOf(text.slice(from, to))) - 1;
      if (2 * number > mask) grow();
      put(hash, number);
      return number;
    },
    at: (number) => elementAt(strings, number),
  };
}

function isPart(part: string, text: string, from: number, to: number): boolean {
  if (part.length !== to - from) return false;
  for (let at = 0; at < part.length; at++) if (part.charCodeAt(at) !== text.charCodeAt(from + at)) return false;
  return true;
}

/**
 * Copies a string. V8 stores a substring of 13 letters or more as a reference to its text, so that a numbered word would
 * keep the whole text in memory.
 */
const copyOf = (text: string): string => Buffer.from(text).toString();
