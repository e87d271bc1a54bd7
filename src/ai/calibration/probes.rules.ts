import { sentencesOf } from '../../knowledge/index/prose.rules.ts';

/** The numbers of words of a probe: about those of a question. */
const LENGTHS = [6, 8, 10, 12, 16];

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words asked in place of a question that their item answers. */
export interface Probe {
  text: string;
  /** The sentence they were taken from. */
  sentence: string;
}

/**
 * Returns words in a row from the middle of a passage, in several lengths, beginning with another one for each `nth`.
 * None without a sentence of sufficient length. Whole sentences and headings would not do: both find other items with
 * far more confidence than customers' questions.
 */
export function probesOf(content: string, nth: number): Probe[] {
  const sentences = sentencesOf(content).map(({ start, end }) => content.slice(start, end));
  const middle = Math.floor(sentences.length / 2);
  for (const sentence of [...sentences.slice(middle), ...sentences.slice(0, middle).reverse()]) {
    const texts = wordsOf(sentence);
    const first = nth % Math.max(1, texts.length);
    if (texts.length > 0) return [...texts.slice(first), ...texts.slice(0, first)].map((text) => ({ text, sentence }));
  }
  return [];
}

/** Returns the words in the middle of a sentence, in each length available. */
function wordsOf(sentence: string): string[] {
  const words = [...WORDS.segment(sentence)].filter(({ isWordLike }) => isWordLike === true);
  return LENGTHS.flatMap((length) => {
    const first = Math.floor((words.length - length) / 2);
    const [from, to] = [words[first], words[first + length - 1]];
    return from && to ? [sentence.slice(from.index, to.index + to.segment.length)] : [];
  });
}
