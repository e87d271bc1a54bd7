import { type Chunk, chunksOf } from './chunking.rules.ts';
import type { CountedWords } from './lexemes.service.ts';
import { type NumberedParts, numberedPartsOf, type SplitText, textsOf } from './parts.rules.ts';
import { createWordNumbering, type WeightedText } from './word-counts.rules.ts';
import { createWordList, type WordList, withAdded } from './word-lists.service.ts';

/** A chunk of a text, with a function for its words. */
export interface SplitPart extends Omit<Chunk, 'body'> {
  countWords(): CountedWords;
}

/** Splits a text into chunks and counts their words. */
export type Splitter = (text: SplitText) => SplitPart[] | Promise<SplitPart[]>;

/** What is known of a numbering. */
export interface KnownNumbering {
  words: WordList;
}

/** Returns what is known of a numbering that has just begun. */
export const newNumbering = (): KnownNumbering => ({ words: createWordList() });

const numbering = createWordNumbering();
const known = newNumbering();

/** Splits a text and counts its words in this thread. */
export const splitHere = (text: SplitText): SplitPart[] => receiveParts(known, numberedPartsOf(text, numbering));

/** Returns the chunks of a text whose words were numbered, and adds the next words to those known of the numbering. */
export function receiveParts(of: KnownNumbering, { parts, added }: NumberedParts): SplitPart[] {
  const list = withAdded(of.words, added);
  of.words = list;
  return parts.map(({ counts, ...part }) => ({ ...part, countWords: () => ({ counts, list }) }));
}

/** Splits a text. Its words are counted each time they are asked for. */
export const splitUncounted = ({ title, markdown }: SplitText): SplitPart[] =>
  chunksOf(markdown).map((chunk) => ({ ...chunk, countWords: () => countWords(textsOf(title, chunk)) }));

function countWords(texts: readonly WeightedText[]): CountedWords {
  numbering.startOverIfLarge();
  const { numbers, frequencies } = numbering.count(texts);
  known.words = withAdded(known.words, numbering.drainAdded());
  const counts = { numbers: Uint32Array.from(numbers), frequencies: Uint32Array.from(frequencies) };
  return { counts, list: known.words };
}
