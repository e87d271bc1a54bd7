import { analyse } from '../index/analysis.rules.ts';
import { sentencesOf } from '../index/prose.rules.ts';

/** Length of a word's beginning, the same in most of its forms. */
const STEM_LENGTH = 5;

/** A literal part of a text and its position. */
export interface Quote {
  text: string;
  start: number;
  end: number;
}

/**
 * Returns the sentence of a text with most of a query's words; of several, the first. Without any sentence, returns the
 * whole text.
 */
export function bestQuote(text: string, query: string): Quote {
  const wanted = new Set(stemsOf(query));
  let best = { start: 0, end: text.length };
  let most = -1;
  for (const sentence of sentencesOf(text)) {
    const marks = new Set(stemsOf(text.slice(sentence.start, sentence.end)));
    const count = [...wanted].filter((mark) => marks.has(mark)).length;
    if (count <= most) continue;
    best = sentence;
    most = count;
  }
  return { text: text.slice(best.start, best.end), ...best };
}

/** Returns approximate stems, to compare texts by. */
export function stemsOf(text: string): string[] {
  const { words, grams } = analyse(text);
  const folded = words.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...(folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, STEM_LENGTH)), ...grams];
}
