import { sentencesOf } from '../../knowledge/index/prose.rules.ts';

/** The numbers of words of a probe, by turns: about those that a question has. */
const LENGTHS = [6, 8, 10, 12, 16];

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words that are asked in place of a question which their item answers. */
export interface Probe {
  text: string;
  /** The sentence that they were taken from. */
  sentence: string;
}

/**
 * Returns some words in a row from the middle of a passage, or undefined if it has no sentence that is long enough. Whole
 * sentences and headings would not do: both find other items with far more confidence than customers' questions.
 */
export function probeOf(content: string, nth: number): Probe | undefined {
  const sentences = sentencesOf(content).map(({ start, end }) => content.slice(start, end));
  const middle = Math.floor(sentences.length / 2);
  for (const sentence of [...sentences.slice(middle), ...sentences.slice(0, middle).reverse()]) {
    const text = wordsOf(sentence, nth);
    if (text !== undefined) return { text, sentence };
  }
  return undefined;
}

/** Returns the words in the middle of a sentence, or undefined if it has too few. */
function wordsOf(sentence: string, nth: number): string | undefined {
  const words = [...WORDS.segment(sentence)].filter(({ isWordLike }) => isWordLike === true);
  const lengths = LENGTHS.filter((length) => length <= words.length);
  const length = lengths[nth % lengths.length];
  if (length === undefined) return undefined;
  const first = Math.floor((words.length - length) / 2);
  const [from, to] = [words[first], words[first + length - 1]];
  return from && to && sentence.slice(from.index, to.index + to.segment.length);
}
