/** The least words of a quote. Scripts without spaces between words count letters instead. */
const MIN_WORDS = 4;
const MIN_LETTERS = 8;
const MAX_QUOTE_CHARACTERS = 1_000;

const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu;
const QUOTATION_MARKS = /["'`´‘’‚‛“”„‟«»‹›「」『』]/gu;
const DASHES = /[‐‑‒–—―−]/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** A text with different spellings of the same made equal, and the place of each character in the original. */
interface Normalized {
  text: string;
  /** The place in the original of each character, and of the end. */
  places: number[];
}

/** Normalizes by NFKC, case, spaces, quotation marks and dashes. */
function normalize(original: string): Normalized {
  let text = '';
  const positions: number[] = [];
  for (const { 0: cluster, index } of original.matchAll(CLUSTER)) {
    const plain = cluster.normalize('NFKC').toLowerCase().replace(QUOTATION_MARKS, "'").replace(DASHES, '-');
    const isSpace = /^[\s\u00a0\u200b\ufeff]+$/u.test(plain);
    if (isSpace && (text === '' || text.endsWith(' '))) continue;
    const added = isSpace ? ' ' : plain;
    for (let at = 0; at < added.length; at++) positions.push(index);
    text += added;
  }
  positions.push(original.length);
  return { text, places: positions };
}

/** Returns the normalized text for the comparison of quotes. */
export const comparable = (text: string): string => normalize(text).text.trim();

/**
 * Finds a quote in a text and returns its bounds there, or undefined if it is not there word for word, or has too few
 * words: fewer than four unless another minimum is given.
 */
export function findQuote(
  text: string,
  quote: string,
  { minWords = MIN_WORDS }: { minWords?: number } = {},
): { start: number; end: number } | undefined {
  if (quote.length > MAX_QUOTE_CHARACTERS) return undefined;
  const wanted = comparable(quote);
  if (!isLongEnough(wanted, minWords)) return undefined;
  const { text: within, places } = normalize(text);
  for (let at = within.indexOf(wanted); at !== -1; at = within.indexOf(wanted, at + 1)) {
    if (!isWhole(within, at, at + wanted.length)) continue;
    const start = places[at] ?? 0;
    const end = places[at + wanted.length] ?? text.length;
    return { start, end: start + text.slice(start, end).trimEnd().length };
  }
  return undefined;
}

function isLongEnough(text: string, minWords: number): boolean {
  if (UNSPACED.test(text)) return [...text.replace(/\s/g, '')].length >= Math.min(MIN_LETTERS, 2 * minWords);
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length >= minWords;
}

/** Whether a range begins and ends at bounds of words: “5 days” is not in “15 days”. */
function isWhole(text: string, start: number, end: number): boolean {
  const isInside = (at: number) => {
    const before = text.slice(0, at).at(-1) ?? '';
    const after = text.at(at) ?? '';
    return /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after) && !UNSPACED.test(before + after);
  };
  return !isInside(start) && !isInside(end);
}
