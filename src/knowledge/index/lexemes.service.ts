import { elementAt } from '../../checked-access.ts';
import type { Db } from '../../db/connect.ts';
import { isGram } from './analysis.rules.ts';
import { listLexemes } from './lexemes.queries.ts';
import type { AddedWords, WordCounts } from './word-counts.rules.ts';

const MAX_CACHED_WORDS = 50_000;
const MAX_CACHED_WORD_LENGTH = 40;

/** A word or a gram, shared by all its occurrences. */
interface Word {
  readonly text: string;
  /** Undefined until loaded from Postgres. May contain repetitions. */
  lexemes: readonly string[] | undefined;
  /** The numbers of its lexemes in `lexemeNumbering`. */
  numbers: readonly number[];
  lexemeNumbering: number;
}

type Vocabulary = Map<string, Word>;

/**
 * Words with their lexemes, by language. A vocabulary is small compared to its texts, and loading from Postgres takes
 * ten times as long. Cleared when all of them together have too many words.
 */
const vocabularies = new Map<string | null, Vocabulary>();
/** Cleared together with the vocabularies. Needs no Postgres: a gram is its own lexeme. */
const grams: Vocabulary = new Map();
let lexemeNumberings = 0;

/** The words of a numbering. */
export interface WordList {
  /** Adds the numbering's next words. */
  add(texts: readonly string[]): void;
  /** Returns the words of a language by their numbers, at least those with the given ones. */
  wordsIn(language: string | null, numbers: Uint32Array): readonly (Word | undefined)[];
}

/** The words of a chunk, counted by their numbers in a list. */
export interface CountedWords {
  counts: WordCounts;
  list: WordList;
}

type CountedChunk = CountedWords & { language: string | null };

/** The frequencies of lexemes in chunks. */
export interface LexemeCounts {
  /** The lexemes of all words and grams, each once. */
  lexemes: string[];
  /** In the order of the chunks. */
  chunks: {
    /** The chunk's lexemes, as indexes into `lexemes`. */
    numbers: Uint32Array;
    /** The frequency of each of them in the chunk. */
    frequencies: Uint32Array;
    /** Their sum. */
    length: number;
  }[];
}

/** Returns the list of a numbering that has begun: it has no words yet. */
export function createWordList(): WordList {
  const texts: string[] = [];
  const byLanguage = new Map<string | null, (Word | undefined)[]>();
  return {
    add(more) {
      for (const text of more) texts.push(text);
    },
    wordsIn(language, numbers) {
      const words = byLanguage.get(language) ?? [];
      byLanguage.set(language, words);
      const vocabulary = vocabularyOf(language);
      for (let nth = 0; nth < numbers.length; nth++) {
        const number = numbers[nth] as number;
        words[number] ??= wordOf(vocabulary, elementAt(texts, number));
      }
      return words;
    },
  };
}

/** Returns the list with a numbering's next words, or a new one if the numbering has started over. */
export function withAdded(list: WordList, { from, words }: AddedWords): WordList {
  const whole = from === 0 ? createWordList() : list;
  whole.add(words);
  return whole;
}

/** Counts each lexeme and gram in each chunk, with the lexemes of `to_tsvector` in the language's configuration. */
export async function countLexemes(db: Db, chunks: readonly CountedChunk[]): Promise<LexemeCounts> {
  await findLexemes(db, chunks);
  return countOccurrences(chunks);
}

function vocabularyOf(language: string | null): Vocabulary {
  const words = [...vocabularies.values()].reduce((sum, { size }) => sum + size, grams.size);
  if (words > MAX_CACHED_WORDS) {
    vocabularies.clear();
    grams.clear();
  }
  const vocabulary: Vocabulary = vocabularies.get(language) ?? new Map();
  vocabularies.set(language, vocabulary);
  return vocabulary;
}

function wordOf(vocabulary: Vocabulary, text: string): Word {
  if (isGram(text)) return remembered(grams, text, [text]);
  return remembered(vocabulary, text);
}

function remembered(vocabulary: Vocabulary, text: string, lexemes?: readonly string[]): Word {
  const known = vocabulary.get(text);
  if (known !== undefined) return known;
  const word = { text, lexemes, numbers: [], lexemeNumbering: 0 };
  if (text.length <= MAX_CACHED_WORD_LENGTH) vocabulary.set(text, word);
  return word;
}

async function findLexemes(db: Db, chunks: readonly CountedChunk[]): Promise<void> {
  for (const [language, own] of Map.groupBy(chunks, (chunk) => chunk.language)) {
    const unknown = new Map<string, Set<Word>>();
    for (const chunk of own)
      forEachWord(chunk, (word) => {
        if (word.lexemes === undefined) unknown.set(word.text, (unknown.get(word.text) ?? new Set()).add(word));
      });
    if (unknown.size === 0) continue;
    const found = await listLexemes(db, language, [...unknown.keys()]);
    for (const [nth, words] of [...unknown.values()].entries())
      for (const word of words) word.lexemes = found[nth] ?? [];
  }
}

/** Must not await: a word stores its numbers for only one numbering of lexemes at a time. */
function countOccurrences(chunks: readonly CountedChunk[]): LexemeCounts {
  const { lexemes, numbersOf } = createLexemeNumbering();
  let most = 0;
  for (const chunk of chunks)
    forEachWord(chunk, (word) => {
      most += word.lexemes?.length ?? 0;
    });
  const numbers = new Uint32Array(most);
  const frequencies = new Uint32Array(most);
  /** The last place of each lexeme in the counts, by its number. */
  const places: number[] = [];
  let end = 0;
  const countChunk = (chunk: CountedChunk) => {
    const begin = end;
    let length = 0;
    forEachWord(chunk, (word, frequency) => {
      const own = numbersOf(word);
      for (let nth = 0; nth < own.length; nth++) {
        const number = own[nth] as number;
        const place = places[number] ?? -1;
        length += frequency;
        if (place >= begin) frequencies[place] = (frequencies[place] ?? 0) + frequency;
        else {
          places[number] = end;
          numbers[end] = number;
          frequencies[end] = frequency;
          end++;
        }
      }
    });
    return { numbers: numbers.subarray(begin, end), frequencies: frequencies.subarray(begin, end), length };
  };
  return { lexemes, chunks: chunks.map(countChunk) };
}

/** Numbers lexemes from 0 on, in the order of their appearance. */
function createLexemeNumbering() {
  const lexemeNumbering = ++lexemeNumberings;
  const lexemes: string[] = [];
  const numberByLexeme = new Map<string, number>();
  const numberOf = (lexeme: string): number => {
    const known = numberByLexeme.get(lexeme);
    if (known !== undefined) return known;
    numberByLexeme.set(lexeme, lexemes.length);
    return lexemes.push(lexeme) - 1;
  };
  return {
    lexemes,
    numbersOf(word: Word): readonly number[] {
      if (word.lexemeNumbering !== lexemeNumbering) {
        word.lexemeNumbering = lexemeNumbering;
        word.numbers = word.lexemes?.map(numberOf) ?? [];
      }
      return word.numbers;
    },
  };
}

/** Visits each word of a chunk without allocating memory: all chunks may have a million. */
function forEachWord(
  { counts: { numbers, frequencies }, list, language }: CountedChunk,
  visit: (word: Word, frequency: number) => void,
): void {
  const words = list.wordsIn(language, numbers);
  for (let nth = 0; nth < numbers.length; nth++)
    visit(words[numbers[nth] as number] as Word, frequencies[nth] as number);
}
