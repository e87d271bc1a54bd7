import { elementAt } from '../../collections/checked-access.ts';
import type { Db } from '../../db/connect.ts';
import { listLexemes } from './lexemes.queries.ts';
import type { WordCounts } from './word-counts.rules.ts';
import { currentWordCache, lexemeOf, type Word, type WordCache, type WordList } from './word-lists.service.ts';

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

/** Counts each lexeme and gram in each chunk, with the lexemes of `to_tsvector` in the language's configuration. */
export async function countLexemes(db: Db, chunks: readonly CountedChunk[]): Promise<LexemeCounts> {
  const cache = currentWordCache();
  const { words, places } = collectWords(chunks);
  await findLexemes(db, cache, words);
  return countOccurrences(chunks, numberLexemes(words), places);
}

let collections = 0;

/**
 * Collects the words of chunks, each once, and returns the places of each chunk's words. Must not await: a list has the
 * places of one collection at a time, and words of one cache.
 */
function collectWords(chunks: readonly CountedChunk[]): { words: Word[]; places: Uint32Array[] } {
  const collection = ++collections;
  const words: Word[] = [];
  const placesIn = ({ counts: { numbers }, list, language }: CountedChunk): Uint32Array => {
    const listed = list.wordsIn(language);
    return numbers.map((number) => {
      if (listed.collections[number] !== collection) {
        listed.collections[number] = collection;
        listed.places[number] = words.push(listed.at(number)) - 1;
      }
      return listed.places[number] ?? 0;
    });
  };
  return { places: chunks.map(placesIn), words };
}

async function findLexemes(db: Db, cache: WordCache, words: readonly Word[]): Promise<void> {
  const unknown = new Set(words.filter(({ lexemes }) => lexemes === undefined));
  for (const [language, own] of Map.groupBy(unknown, (word) => word.language)) {
    const found = await listLexemes(
      db,
      language,
      own.map(({ text }) => text),
    );
    for (const [nth, word] of own.entries()) word.lexemes = found[nth]?.map((text) => lexemeOf(cache, text)) ?? [];
  }
}

/** The lexemes of words, numbered from 0 on in the order of their appearance. */
interface NumberedLexemes {
  lexemes: string[];
  /** The numbers of the lexemes of one word after another, and where those of each word begin. */
  numbers: Uint32Array;
  begins: Uint32Array;
}

let passes = 0;

/** Numbers the lexemes of words of one cache. */
function numberLexemes(words: readonly Word[]): NumberedLexemes {
  const pass = ++passes;
  const lexemes: string[] = [];
  const numbers: number[] = [];
  const begins = new Uint32Array(words.length + 1);
  for (const [nth, word] of words.entries()) {
    for (const lexeme of word.lexemes ?? []) {
      if (lexeme.pass !== pass) {
        lexeme.pass = pass;
        lexeme.number = lexemes.push(lexeme.text) - 1;
      }
      numbers.push(lexeme.number);
    }
    begins[nth + 1] = numbers.length;
  }
  return { lexemes, numbers: Uint32Array.from(numbers), begins };
}

/** `places`: those of each chunk's words. */
function countOccurrences(
  chunks: readonly CountedChunk[],
  { lexemes, numbers: lexemeNumbers, begins }: NumberedLexemes,
  places: readonly Uint32Array[],
): LexemeCounts {
  const endOf = (word: number) => begins[word + 1] ?? 0;
  const sizeOf = (words: Uint32Array) => words.reduce((sum, word) => sum + endOf(word) - (begins[word] ?? 0), 0);
  const most = places.reduce((sum, words) => sum + sizeOf(words), 0);
  const numbers = new Uint32Array(most);
  const frequencies = new Uint32Array(most);
  /** The place behind the last one of each lexeme in the counts. */
  const ends = new Uint32Array(lexemes.length);
  let end = 0;
  const countChunk = ({ counts }: CountedChunk, nth: number) => {
    const begin = end;
    let length = 0;
    const words = elementAt(places, nth);
    for (let word = 0; word < words.length; word++) {
      const place = words[word] ?? 0;
      const frequency = counts.frequencies[word] ?? 0;
      for (let at = begins[place] ?? 0; at < endOf(place); at++) {
        const number = lexemeNumbers[at] ?? 0;
        const last = ends[number] ?? 0;
        length += frequency;
        if (last > begin) frequencies[last - 1] = (frequencies[last - 1] ?? 0) + frequency;
        else {
          numbers[end] = number;
          frequencies[end] = frequency;
          end++;
          ends[number] = end;
        }
      }
    }
    return { numbers: numbers.subarray(begin, end), frequencies: frequencies.subarray(begin, end), length };
  };
  return { lexemes, chunks: chunks.map(countChunk) };
}
