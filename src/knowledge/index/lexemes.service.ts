import type { Db } from '../../db/connect.ts';
import type { AnalysedText } from './analysis.rules.ts';
import { listLexemes } from './lexemes.queries.ts';

/** Postgres splits a text at the characters between these words. */
const WORD = /[^\s\0-/:-@[-`{-\x9f]+/g;
const MAX_CACHED_WORDS = 50_000;
const MAX_CACHED_WORD_LENGTH = 40;

/** A word or a gram, shared by all its occurrences. */
interface Word {
  readonly text: string;
  /** Undefined until loaded from Postgres. May contain repetitions. */
  lexemes: readonly string[] | undefined;
  /** The numbers of its lexemes in the numbering `numbering`. */
  numbers: readonly number[];
  numbering: number;
}

type Vocabulary = Map<string, Word>;

/**
 * Words with their lexemes, by language. A vocabulary is small compared to its texts, and loading from Postgres takes
 * ten times as long. Cleared when all of them together have too many words.
 */
const vocabularies = new Map<string | null, Vocabulary>();
/** Cleared together with the vocabularies. Needs no Postgres: a gram is its own lexeme. */
const grams: Vocabulary = new Map();
let numberings = 0;

/** A text of a chunk and the weight of each of its words. */
export interface WeightedText {
  words: Word[];
  weight: number;
}

/** The searchable texts of a chunk. */
interface ChunkTexts {
  language: string | null;
  texts: WeightedText[];
}

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

/** Returns the words of a text in order, followed by its grams. */
export function wordsOf(text: AnalysedText, language: string | null): Word[] {
  const vocabulary = vocabularyOf(language);
  const words = (text.words.match(WORD) ?? []).map((word) => wordOf(vocabulary, word));
  return words.concat(text.grams.map((gram) => wordOf(grams, gram, [gram])));
}

/** Counts each lexeme and gram in each chunk, with the lexemes of `to_tsvector` in the language's configuration. */
export async function countLexemes(db: Db, chunks: readonly ChunkTexts[]): Promise<LexemeCounts> {
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

function wordOf(vocabulary: Vocabulary, text: string, lexemes?: readonly string[]): Word {
  const known = vocabulary.get(text);
  if (known !== undefined) return known;
  const isRemembered = text.length <= MAX_CACHED_WORD_LENGTH;
  const word = { text: isRemembered ? copyOf(text) : text, lexemes, numbers: [], numbering: 0 };
  if (isRemembered) vocabulary.set(word.text, word);
  return word;
}

/**
 * Copies a word. V8 stores a substring of 13 letters or more as a reference to its text, so that a cached word would
 * keep the whole text in memory.
 */
const copyOf = (text: string): string => Buffer.from(text).toString();

async function findLexemes(db: Db, chunks: readonly ChunkTexts[]): Promise<void> {
  for (const [language, own] of Map.groupBy(chunks, (chunk) => chunk.language)) {
    const unknown = new Map<string, Set<Word>>();
    for (const { texts } of own)
      forEachWord(texts, (word) => {
        if (word.lexemes === undefined) unknown.set(word.text, (unknown.get(word.text) ?? new Set()).add(word));
      });
    if (unknown.size === 0) continue;
    const found = await listLexemes(db, language, [...unknown.keys()]);
    for (const [nth, words] of [...unknown.values()].entries())
      for (const word of words) word.lexemes = found[nth] ?? [];
  }
}

/** Must not await: a word stores its numbers for only one numbering at a time. */
function countOccurrences(chunks: readonly ChunkTexts[]): LexemeCounts {
  const { lexemes, numbersOf } = createNumbering();
  let most = 0;
  for (const { texts } of chunks)
    forEachWord(texts, (word) => {
      most += word.lexemes?.length ?? 0;
    });
  const numbers = new Uint32Array(most);
  const frequencies = new Uint32Array(most);
  /** The last place of each lexeme in the counts, by its number. */
  const places: number[] = [];
  let end = 0;
  const countChunk = ({ texts }: ChunkTexts) => {
    const begin = end;
    let length = 0;
    forEachWord(texts, (word, weight) => {
      const own = numbersOf(word);
      for (let nth = 0; nth < own.length; nth++) {
        const number = own[nth] as number;
        const place = places[number] ?? -1;
        length += weight;
        if (place >= begin) frequencies[place] = (frequencies[place] ?? 0) + weight;
        else {
          places[number] = end;
          numbers[end] = number;
          frequencies[end] = weight;
          end++;
        }
      }
    });
    return { numbers: numbers.subarray(begin, end), frequencies: frequencies.subarray(begin, end), length };
  };
  return { lexemes, chunks: chunks.map(countChunk) };
}

/** Numbers lexemes from 0 on, in the order of their appearance. */
function createNumbering() {
  const numbering = ++numberings;
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
      if (word.numbering !== numbering) {
        word.numbering = numbering;
        word.numbers = word.lexemes?.map(numberOf) ?? [];
      }
      return word.numbers;
    },
  };
}

/** Visits each word without allocating memory: there may be a million. */
function forEachWord(texts: readonly WeightedText[], visit: (word: Word, weight: number) => void): void {
  for (const { words, weight } of texts) for (let nth = 0; nth < words.length; nth++) visit(words[nth] as Word, weight);
}
