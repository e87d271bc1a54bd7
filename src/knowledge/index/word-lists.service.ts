import { elementAt } from '../../checked-access.ts';
import { isGram } from './analysis.rules.ts';
import type { AddedWords } from './word-counts.rules.ts';

const MAX_CACHED_WORDS = 50_000;
const MAX_CACHED_WORD_LENGTH = 40;

/** A word or a gram, shared by all its occurrences. */
export interface Word {
  readonly text: string;
  readonly language: string | null;
  /** Undefined until loaded from Postgres. May contain repetitions. */
  lexemes: readonly Lexeme[] | undefined;
}

/** A lexeme, shared by all its words. */
export interface Lexeme {
  readonly text: string;
  /** Scratch space of numberLexemes: the last numbering that found it, and its number there. */
  numbering: number;
  number: number;
}

/**
 * Words with their lexemes. A vocabulary is small compared to its texts, and loading from Postgres takes ten times as
 * long.
 */
export interface Vocabulary {
  byLanguage: Map<string | null, Map<string, Word>>;
  /** Needs no Postgres: a gram is its own lexeme. */
  grams: Map<string, Word>;
  lexemes: Map<string, Lexeme>;
}

const newVocabulary = (): Vocabulary => ({ byLanguage: new Map(), grams: new Map(), lexemes: new Map() });

let vocabulary = newVocabulary();

/** The words of a numbering. */
export interface WordList {
  /** Adds the numbering's next words. */
  add(texts: readonly string[]): void;
  /** Returns the words of a language. */
  wordsIn(language: string | null): ListedWords;
}

/** The words of a list in a language. */
interface ListedWords {
  /** Returns a word of the current vocabulary by its number. */
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
  let words: (Word | undefined)[] = [];
  let current = vocabulary;
  return {
    at(number) {
      if (current !== vocabulary) words = [];
      current = vocabulary;
      words[number] ??= wordOf(language, elementAt(texts, number));
      return words[number];
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

function wordOf(language: string | null, text: string): Word {
  if (isGram(text))
    return remembered(vocabulary.grams, { text, language: null, lexemes: [lexemeOf(vocabulary, text)] });
  const words = vocabulary.byLanguage.get(language) ?? new Map<string, Word>();
  vocabulary.byLanguage.set(language, words);
  return remembered(words, { text, language, lexemes: undefined });
}

function remembered(words: Map<string, Word>, word: Word): Word {
  const known = words.get(word.text);
  if (known !== undefined) return known;
  if (word.text.length <= MAX_CACHED_WORD_LENGTH) words.set(word.text, word);
  return word;
}

/** Returns the only object for a lexeme in a vocabulary. */
export function lexemeOf({ lexemes }: Vocabulary, text: string): Lexeme {
  const known = lexemes.get(text);
  if (known !== undefined) return known;
  const lexeme = { text, numbering: 0, number: 0 };
  lexemes.set(text, lexeme);
  return lexeme;
}

/** Returns the vocabulary of all words from now on: a new one if the last one has too many words. */
export function currentVocabulary(): Vocabulary {
  const { byLanguage, grams } = vocabulary;
  const words = [...byLanguage.values()].reduce((sum, { size }) => sum + size, grams.size);
  if (words > MAX_CACHED_WORDS) vocabulary = newVocabulary();
  return vocabulary;
}
