import { BREAK, wordsOf } from './folding.rules.ts';

/** A word, exact or as the beginning of a longer one. */
interface Word {
  text: string;
  isBeginning: boolean;
}

interface Slot {
  /** One of these sequences of words has to stand here. An anchor stands for no word. */
  choices: Word[][];
  anchor: 'start' | 'end' | null;
  isOptional: boolean;
}

/** A sequence of slots that is looked for among the tokens of a text. */
export type Pattern = readonly Slot[];

/**
 * Parses patterns. A pattern is a sequence of words. `(a|b c)` is any of several,
 * `?` before a word or a parenthesis makes it optional, `*` after a word takes any ending, `^` and `$` are the start and
 * the end of a clause. Parentheses can have others within. Words are folded like the texts they are compared with.
 */
export const patternsOf = (list: readonly string[]): Pattern[] =>
  list.map((pattern) => splitOutside(pattern, ' ').map(slotOf)).filter((slots) => slots.length > 0);

function slotOf(source: string): Slot {
  if (source === '^' || source === '$')
    return { choices: [], anchor: source === '^' ? 'start' : 'end', isOptional: false };
  const isOptional = source.startsWith('?');
  return { choices: choicesOf(isOptional ? source.slice(1) : source), anchor: null, isOptional };
}

/** Returns every sequence of words that a word or a parenthesis stands for. */
function choicesOf(source: string): Word[][] {
  if (!source.startsWith('(')) return [sequenceOf(source)].filter((words) => words.length > 0);
  return splitOutside(source.slice(1, -1), '|').flatMap((choice) =>
    splitOutside(choice, ' ').reduce<Word[][]>(
      (begun, part) => {
        const isOptional = part.startsWith('?');
        const ends = [...choicesOf(isOptional ? part.slice(1) : part), ...(isOptional ? [[]] : [])];
        return begun.flatMap((words) => ends.map((end) => [...words, ...end]));
      },
      [[]],
    ),
  );
}

function sequenceOf(source: string): Word[] {
  const words = wordsOf(source);
  return words.map((text, nth) => ({ text, isBeginning: nth === words.length - 1 && source.endsWith('*') }));
}

/** Splits a text at a character outside parentheses, and drops empty parts. */
function splitOutside(text: string, separator: ' ' | '|'): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Returns whether a word, or the beginning of one, may be part of the patterns. Much faster than to look for them. */
export function vocabularyOf(patterns: readonly Pattern[]): (word: string) => boolean {
  const words = patterns.flatMap((pattern) => pattern.flatMap(({ choices }) => choices.flat()));
  const whole = new Set(words.map(({ text }) => text));
  const beginnings = words.filter(({ isBeginning }) => isBeginning).map(({ text }) => text);
  return (word) => whole.has(word) || beginnings.some((beginning) => word.startsWith(beginning));
}

/** A place among tokens: from the first up to, but without, the end. */
export interface Place {
  start: number;
  end: number;
}

/** Returns every place of a pattern among tokens. Takes time in proportion to the number of tokens. */
export const placesOf = (tokens: readonly string[], pattern: Pattern): Place[] =>
  tokens.flatMap((_token, start) => endsAt(tokens, pattern, start).map((end) => ({ start, end })));

/** Returns whether a pattern stands anywhere among tokens. */
export const hasAny = (tokens: readonly string[], patterns: readonly Pattern[]): boolean =>
  patterns.some((pattern) => tokens.some((_token, start) => endsAt(tokens, pattern, start).length > 0));

/**
 * Returns whether words are a sequence of patterns and nothing else, at least one of them one of `needed`. The others may
 * stand between them.
 */
export function consistOf(words: readonly string[], needed: readonly Pattern[], others: readonly Pattern[]): boolean {
  const reached = new Map<number, boolean>([[0, false]]);
  for (let at = 0; at < words.length; at++) {
    const has = reached.get(at);
    if (has === undefined) continue;
    for (const end of needed.flatMap((pattern) => endsAt(words, pattern, at))) reached.set(end, true);
    for (const end of others.flatMap((pattern) => endsAt(words, pattern, at)))
      reached.set(end, has || (reached.get(end) ?? false));
  }
  return reached.get(words.length) === true;
}

/** Returns where a pattern that starts at a token can end. */
function endsAt(tokens: readonly string[], pattern: Pattern, start: number): number[] {
  let ends = [start];
  for (const { choices, anchor, isOptional } of pattern) {
    if (anchor === null) {
      const next = ends.flatMap((end) =>
        choices.filter((choice) => standsAt(tokens, choice, end)).map((c) => end + c.length),
      );
      ends = [...new Set(isOptional ? [...next, ...ends] : next)];
    } else ends = ends.filter((end) => (tokens[anchor === 'start' ? end - 1 : end] ?? BREAK) === BREAK);
    if (ends.length === 0) return ends;
  }
  return ends.filter((end) => end > start);
}

const standsAt = (tokens: readonly string[], choice: readonly Word[], at: number): boolean =>
  choice.every(({ text, isBeginning }, nth) => {
    const token = tokens[at + nth];
    return isBeginning ? token?.startsWith(text) : token === text;
  });
