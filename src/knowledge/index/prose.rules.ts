/** The end of a sentence, with the space after it. */
const SENTENCE_END = /[.!?…][\])"'»”’]*\s+|[。！？][」』）]*\s*|\n\s*/g;
const WORD_END = /\s+/g;

/** Code spans in longer lines are ignored. */
const MAX_CODE_SPAN_LENGTH = 5_000;

/**
 * Returns a place to cut prose, so that the first part has more than `least` and at most `most` characters. Prefers the
 * end of a sentence, then of a word, then of a letter; never cuts inside `code`.
 */
export function cutOf(text: string, least: number, most: number): number {
  const within = text.slice(0, isWithinLetter(text, most) ? most - 1 : most);
  const spans = codeSpansOf(text.slice(0, MAX_CODE_SPAN_LENGTH)).filter(([start, end]) => end > least && start < most);
  const isFree = (at: number) => !spans.some(([start, end]) => start < at && at < end);
  for (const ends of [SENTENCE_END, WORD_END]) {
    const cut = endsOf(within, ends).findLast((at) => at > least && isFree(at));
    if (cut !== undefined) return cut;
  }
  for (let at = within.length; at > least; at--) if (isFree(at) && !isWithinLetter(text, at)) return at;
  const inTheWay = spans.find(([start, end]) => start < most && most < end);
  return inTheWay === undefined ? within.length : inTheWay[0] > 0 ? inTheWay[0] : inTheWay[1];
}

/** Whether a place lies between the two halves of a surrogate pair. */
const isWithinLetter = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** Returns the bounds of each sentence of a text, without surrounding space. */
export function sentencesOf(text: string): { start: number; end: number }[] {
  const ends = [0, ...endsOf(text, SENTENCE_END), text.length];
  return ends.slice(1).flatMap((after, nth) => {
    const sentence = text.slice(ends[nth], after);
    const start = (ends[nth] ?? 0) + sentence.length - sentence.trimStart().length;
    const end = start + sentence.trim().length;
    return start < end ? [{ start, end }] : [];
  });
}

const endsOf = (text: string, ends: RegExp): number[] =>
  [...text.matchAll(ends)].map(({ 0: match, index }) => index + match.length);

/** Returns the bounds of code spans in a line: each ends with as many backticks as it starts with. */
function codeSpansOf(text: string): [number, number][] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ at: index, length }));
  const nextAlike = new Map<number, number>();
  const lastOf = new Map<number, number>();
  for (const { at, length } of runs.toReversed()) {
    const next = lastOf.get(length);
    if (next !== undefined) nextAlike.set(at, next);
    lastOf.set(length, at);
  }
  const spans: [number, number][] = [];
  let after = 0;
  for (const { at, length } of runs) {
    const closing = nextAlike.get(at);
    if (at < after || closing === undefined) continue;
    after = closing + length;
    spans.push([at, after]);
  }
  return spans;
}
