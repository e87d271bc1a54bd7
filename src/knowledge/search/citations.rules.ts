import { analyse } from '../index/analysis.rules.ts';
import { sentencesOf } from '../index/prose.rules.ts';

/** So much of the beginning of a word is the same in most of its forms. */
const STEM_LENGTH = 5;

/** Words of a text as they stand, and where. */
export interface Quote {
  text: string;
  start: number;
  end: number;
}

/** The sentence of a text that has most of a query's words: the first of them, or of all where none has any. */
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

/** What two texts have in common that speak of the same. */
function stemsOf(text: string): string[] {
  const { words, grams } = analyse(text);
  const folded = words.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...(folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, STEM_LENGTH)), ...grams];
}
