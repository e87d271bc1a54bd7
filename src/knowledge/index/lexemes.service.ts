import type { Db } from '../../db/connect.ts';
import type { AnalysedText } from './analysis.rules.ts';
import { listLexemes } from './lexemes.queries.ts';

/** Postgres takes a text apart at what is between. */
const WORD = /[^\s\0-/:-@[-`{-\x9f]+/g;
const MAX_CACHED_WORDS = 50_000;
const MAX_CACHED_WORD_LENGTH = 40;

/** A word, or a gram, wherever it stands. */
interface Word {
  readonly text: string;
  /** Undefined until Postgres has been asked. One that comes twice is there twice. */
  lexemes: readonly string[] | undefined;
  /** Of its lexemes, in the numbering that it was last part of. */
  numbers: readonly number[];
  numbering: number;
}

type Vocabulary = Map<string, Word>;

/**
 * By language, words with their lexemes: a vocabulary is small beside its texts, and Postgres takes ten times as long to find them anew. Begun
 * again when all together are too many.
 */
const vocabularies = new Map<string | null, Vocabulary>();
/** Begun again with them. Postgres is not asked: a gram is its own lexeme. */
const grams: Vocabulary = new Map();
let numberings = 0;

/** A text that a chunk is found by, and how much each of its words counts. */
export interface WeightedText {
  words: Word[];
  weight: number;
}

/** What a chunk is found by. */
interface ChunkTexts {
  language: string | null;
  texts: WeightedText[];
}

/** How often lexemes are in chunks. */
export interface LexemeCounts {
  /** Of words and grams, each once. */
  lexemes: string[];
  /** In the order of the chunks. */
  chunks: {
    /** Of its lexemes, in the list of all. */
    numbers: Uint32Array;
    /** How often each of them is in the chunk. */
    frequencies: Uint32Array;
    /** Their sum. */
    length: number;
  }[];
}

/** The words of a text, in their order, and its grams. */
export function wordsOf(text: AnalysedText, language: string | null): Word[] {
  const vocabulary = vocabularyOf(language);
  const words = (text.words.match(WORD) ?? []).map((word) => wordOf(vocabulary, word));
  return words.concat(text.grams.map((gram) => wordOf(grams, gram, [gram])));
}

/** How often each lexeme is in each of these, as `to_tsvector` finds them in the configuration of the language, and each gram. */
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

/** V8 keeps a word of 13 letters or more as a part of its text, which would stay in memory as long. */
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

/** Awaits nothing, as a word has its numbers of one numbering only. */
function countOccurrences(chunks: readonly ChunkTexts[]): LexemeCounts {
  const { lexemes, numbersOf } = createNumbering();
  let most = 0;
  for (const { texts } of chunks)
    forEachWord(texts, (word) => {
      most += word.lexemes?.length ?? 0;
    });
  const numbers = new Uint32Array(most);
  const frequencies = new Uint32Array(most);
  /** By the number of a lexeme, where it was last counted. */
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
        if (place >= begin) frequencies[place] = (frequencies[place] as number) + weight;
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

/** Numbers lexemes from 0 on, as they come. */
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

/** There may be a million, and nothing is made on the way. */
function forEachWord(texts: readonly WeightedText[], visit: (word: Word, weight: number) => void): void {
  for (const { words, weight } of texts) for (let nth = 0; nth < words.length; nth++) visit(words[nth] as Word, weight);
}
