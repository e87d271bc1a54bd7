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
  lexemes: readonly string[] | undefined;
}

type Vocabulary = Map<string, Word>;

/**
 * Words with their lexemes, by language. A vocabulary is small compared to its texts, and loading from Postgres takes
 * ten times as long. Cleared when all of them together have too many words.
 */
const vocabularies = new Map<string | null, Vocabulary>();
/** Cleared together with the vocabularies. Needs no Postgres: a gram is its own lexeme. */
const grams: Vocabulary = new Map();

/** The words of a numbering. */
export interface WordList {
  /** Adds the numbering's next words. */
  add(texts: readonly string[]): void;
  /** Returns the words of a language. */
  wordsIn(language: string | null): ListedWords;
}

/** The words of a list in a language. */
interface ListedWords {
  /** Returns a word by its number. */
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
  if (isGram(text)) return remembered(grams, { text, language: null, lexemes: [text] });
  return remembered(vocabularyOf(language), { text, language, lexemes: undefined });
}

function vocabularyOf(language: string | null): Vocabulary {
  const vocabulary: Vocabulary = vocabularies.get(language) ?? new Map();
  vocabularies.set(language, vocabulary);
  return vocabulary;
}

function remembered(vocabulary: Vocabulary, word: Word): Word {
  const known = vocabulary.get(word.text);
  if (known !== undefined) return known;
  if (word.text.length <= MAX_CACHED_WORD_LENGTH) vocabulary.set(word.text, word);
  return word;
}

/** Clears the vocabularies of all languages if they have too many words. Lists keep the words that they have. */
export function clearVocabulariesIfLarge(): void {
  const words = [...vocabularies.values()].reduce((sum, { size }) => sum + size, grams.size);
  if (words <= MAX_CACHED_WORDS) return;
  vocabularies.clear();
  grams.clear();
}
