import { elementAt } from '../../collections/checked-access.ts';
import { isGram } from './analysis.rules.ts';
import type { AddedWords } from './word-counts.rules.ts';

const MAX_CACHED_WORDS = 40_000;
const MAX_CACHED_WORD_LENGTH = 40;

/** A word or a gram, shared by all its occurrences. */
export interface Word {
  readonly text: string;
  readonly language: string | null;
  /** Undefined until loaded from Postgres. May contain repetitions. */
  lexemes: readonly Lexeme[] | undefined;
  /** That of its cache, in which it and its lexemes are the only ones for their texts. */
  readonly generation: number;
}

/** A lexeme, shared by all its words. */
export interface Lexeme {
  readonly text: string;
  /** Scratch space of numberLexemes: the last pass that found it, and its number there. */
  pass: number;
  number: number;
}

/**
 * Words with their lexemes. They are few compared to their texts, and loading from Postgres takes ten times as long.
 */
export interface WordCache {
  generation: number;
  byLanguage: Map<string | null, Map<string, Word>>;
  /** Needs no Postgres: a gram is its own lexeme. */
  grams: Map<string, Word>;
  lexemes: Map<string, Lexeme>;
}

const newWordCache = (generation: number): WordCache => ({
  generation,
  byLanguage: new Map(),
  grams: new Map(),
  lexemes: new Map(),
});

let cache = newWordCache(0);

/** The words of a numbering. */
export interface WordList {
  /** Adds the numbering's next words. */
  add(texts: readonly string[]): void;
  /** Returns the words of a language. */
  wordsIn(language: string | null): ListedWords;
}

/** The words of a list in a language. */
interface ListedWords {
  /** Returns a word of the current cache by its number. */
  at(number: number): Word;
  /** Scratch space of collectWords, by the number of the word: the last collection that found it, and its place there. */
  collections: Uint32Array;
  places: Uint32Array;
}

/** Returns the list of a numbering that has begun: it has no words yet. */
export function createWordList(): WordList {
  const texts: string[] = [];
  const byLanguage = new Map<string | null, ListedWords>();
  return {
    add(more) {
      for (const text of more) texts.push(text);
    },
    wordsIn(language) {
      const listed = byLanguage.get(language) ?? listWords(language, texts);
      byLanguage.set(language, listed);
      listed.collections = withRoom(listed.collections, texts.length);
      listed.places = withRoom(listed.places, texts.length);
      return listed;
    },
  };
}

function listWords(language: string | null, texts: readonly string[]): ListedWords {
  const words: (Word | undefined)[] = [];
  return {
    at(number) {
      const known = words[number];
      if (known?.generation === cache.generation) return known;
      const word = wordOf(language, elementAt(texts, number), known?.lexemes);
      words[number] = word;
      return word;
    },
    collections: new Uint32Array(),
    places: new Uint32Array(),
  };
}

function withRoom(numbers: Uint32Array, length: number): Uint32Array {
  if (numbers.length >= length) return numbers;
  const longer = new Uint32Array(2 * length);
  longer.set(numbers);
  return longer;
}

/** Returns the list with a numbering's next words, or a new one if the numbering has started over. */
export function withAdded(list: WordList, { from, words }: AddedWords): WordList {
  const whole = from === 0 ? createWordList() : list;
  whole.add(words);
  return whole;
}

/** Returns the word of the current cache. `former`: its lexemes of another cache, if they are known. */
function wordOf(language: string | null, text: string, former?: readonly Lexeme[]): Word {
  const { generation } = cache;
  if (isGram(text))
    return remembered(cache.grams, { text, language: null, lexemes: [lexemeOf(cache, text)], generation });
  const words = cache.byLanguage.get(language) ?? new Map<string, Word>();
  cache.byLanguage.set(language, words);
  return remembered(words, { text, language, lexemes: former?.map((one) => lexemeOf(cache, one.text)), generation });
}

function remembered(words: Map<string, Word>, word: Word): Word {
  const known = words.get(word.text);
  if (known !== undefined) return known;
  if (word.text.length <= MAX_CACHED_WORD_LENGTH) words.set(word.text, word);
  return word;
}

/** Returns the only object for a lexeme in a cache. */
export function lexemeOf({ lexemes }: WordCache, text: string): Lexeme {
  const known = lexemes.get(text);
  if (known !== undefined) return known;
  const lexeme = { text, pass: 0, number: 0 };
  lexemes.set(text, lexeme);
  return lexeme;
}

/** Returns the cache of all words from now on: a new one if the last one has too many words or lexemes. */
export function currentWordCache(): WordCache {
  const { byLanguage, grams, lexemes } = cache;
  const words = [...byLanguage.values()].reduce((sum, { size }) => sum + size, grams.size);
  if (Math.max(words, lexemes.size) > MAX_CACHED_WORDS) cache = newWordCache(cache.generation + 1);
  return cache;
}
