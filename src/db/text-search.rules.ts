/** A parsed search. A result matches at least one group, with each term of that group. */
export interface TextQuery {
  groups: Term[][];
}

export interface Term {
  /** Words next to one another. */
  words: string;
  /** Pairs of letters of text written without spaces, or a single letter, matched as the start of a pair. */
  pairs: string[];
  /** Matches only the words as written, without stems or prefixes. */
  isExact: boolean;
  isExcluded: boolean;
  /** Matches as a prefix too: the user may still be typing the word. */
  isOpen: boolean;
}

/** The same letters as in the migration of the search functions. */
const UNSPACED_RUN =
  /[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u{20000}-\u{3ffff}]+/gu;
const INVISIBLE = /[\u00ad\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Variation_Selector}/gu;
/** Pieces past this number are ignored: each costs time. */
const MAX_PIECES = 60;
const PIECE = /(-?)"([^"]*)"?|(\S+)/g;
const WORD = /^[\p{L}\p{M}\p{N}]+$/u;

/**
 * Parses a search: words (all of them required), "a phrase", -excluded and OR. Everything else is text. A group with
 * only exclusions is dropped. The last word also matches as a prefix if it has at least `openFrom` letters.
 */
export function parseQuery(text: string, { openFrom }: { openFrom: number }): TextQuery {
  const groups: Term[][] = [[]];
  const readable = text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replaceAll(/[“”„«»]/g, '"');
  for (const [, minus, phrase, word] of [...readable.matchAll(PIECE)].slice(0, MAX_PIECES)) {
    if (word === 'OR') groups.push([]);
    else if (word === undefined)
      groups.at(-1)?.push(termOf(phrase ?? '', { isExact: true, isExcluded: minus === '-' }));
    else {
      const isExcluded = word.length > 1 && word.startsWith('-');
      groups.at(-1)?.push(termOf(isExcluded ? word.slice(1) : word, { isExact: false, isExcluded }));
    }
  }
  const last = groups.at(-1)?.at(-1);
  if (last !== undefined && !last.isExact && !last.isExcluded && !/\s$/.test(text))
    last.isOpen = last.words.length >= openFrom;
  return { groups: groups.filter((terms) => terms.some(({ isExcluded }) => !isExcluded)) };
}

function termOf(text: string, { isExact, isExcluded }: Pick<Term, 'isExact' | 'isExcluded'>): Term {
  const runs = text.match(UNSPACED_RUN) ?? [];
  const words = text.replaceAll(UNSPACED_RUN, ' ').trim();
  return {
    words,
    pairs: runs.flatMap(pairsOf).slice(0, MAX_PIECES),
    isExact: isExact || !WORD.test(words),
    isExcluded,
    isOpen: false,
  };
}

function pairsOf(run: string): string[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, nth) => `${letters[nth]}${letter}`);
}
