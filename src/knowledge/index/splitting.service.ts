import { type Chunk, chunksOf } from './chunking.rules.ts';
import { type CountedWords, createWordList, withAdded } from './lexemes.service.ts';
import { type SplitText, textsOf } from './parts.rules.ts';
import { createWordNumbering, type WeightedText } from './word-counts.rules.ts';

/** A chunk of a text, with a function for its words. */
export interface SplitPart extends Omit<Chunk, 'body'> {
  countWords(): CountedWords;
}

/** Splits a text into chunks and counts their words. */
export type Splitter = (text: SplitText) => SplitPart[] | Promise<SplitPart[]>;

const numbering = createWordNumbering();
let list = createWordList();

/** Splits a text and counts its words in this thread. */
export const splitHere = (text: SplitText): SplitPart[] =>
  splitUncounted(text).map(({ countWords, ...part }) => {
    const counted = countWords();
    return { ...part, countWords: () => counted };
  });

/** Splits a text. Its words are counted each time they are asked for. */
export const splitUncounted = ({ title, markdown }: SplitText): SplitPart[] =>
  chunksOf(markdown).map((chunk) => ({ ...chunk, countWords: () => countWords(textsOf(title, chunk)) }));

function countWords(texts: readonly WeightedText[]): CountedWords {
  numbering.startOverIfLarge();
  const counts = numbering.count(texts);
  list = withAdded(list, numbering.takeAdded());
  return { counts, list };
}
