import type { Db } from '../../db/connect.ts';
import type { Analysed } from './analysis.rules.ts';
import type { NewPosting } from './indexing.queries.ts';
import { listLexemes } from './lexemes.queries.ts';

/** Postgres takes a text apart at what is between. */
const WORD = /[^\s\0-/:-@[-`{-\x9f]+/g;
const REMEMBERED_WORDS = 50_000;
const LONGEST_REMEMBERED = 40;

type Vocabulary = Map<string, readonly string[]>;

/**
 * By language, the lexemes of words: a vocabulary is small beside its texts, and Postgres takes ten times as long to find them anew. Begun again
 * when all together are too many.
 */
const vocabularies = new Map<string | null, Vocabulary>();

/** A text that a chunk is found by, and how much each of its words counts. */
export type WeighedText = Analysed & { weight: number };

interface Texts {
  language: string | null;
  texts: WeighedText[];
}

/** What a chunk is found by. The postings are shared by all chunks that have the lexeme, still without hits. */
export interface Counted {
  postings: NewPosting[];
  /** How often each of them is in the chunk. */
  frequencies: number[];
  /** Their sum. */
  length: number;
}

/** A word with its lexemes, once they are known. */
interface Word {
  text: string;
  postings: Marked[];
}

/** A posting with the last chunk that it was counted in, and its place there. */
interface Marked extends NewPosting {
  chunk: number;
  place: number;
}

/**
 * How often each lexeme is in each of these, as `to_tsvector` finds them in the configuration of the language, and each gram. `lexemes` are all
 * of words.
 */
export async function countLexemes(db: Db, all: Texts[]): Promise<{ chunks: Counted[]; lexemes: string[] }> {
  const postings = new Map<string, Marked>();
  const postingOf = (lexeme: string): Marked => {
    const known = postings.get(lexeme);
    if (known !== undefined) return known;
    const posting = { lexeme, hits: [], chunk: -1, place: 0 };
    postings.set(lexeme, posting);
    return posting;
  };
  const words = new Map<string | null, Map<string, Word>>();
  const read = all.map(({ language, texts }) => {
    const ofLanguage = words.get(language) ?? new Map<string, Word>();
    words.set(language, ofLanguage);
    return texts.map((text) => ({ words: wordsOf(text.words, ofLanguage), grams: text.grams, weight: text.weight }));
  });
  for (const [language, ofLanguage] of words) await findLexemes(db, language, [...ofLanguage.values()], postingOf);
  const lexemes = [...postings.keys()];
  const chunks = read.map((texts, chunk) => {
    const counted: Counted = { postings: [], frequencies: [], length: 0 };
    for (const { words, grams, weight } of texts) {
      for (const word of words) for (const posting of word.postings) count(counted, posting, chunk, weight);
      for (const gram of grams) count(counted, postingOf(gram), chunk, weight);
    }
    return counted;
  });
  return { chunks, lexemes };
}

/** The words of a text in their order, each the same one wherever it stands. */
function wordsOf(text: string, known: Map<string, Word>): Word[] {
  return (text.match(WORD) ?? []).map((word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    const added = { text: word, postings: [] };
    known.set(word, added);
    return added;
  });
}

function count(counted: Counted, posting: Marked, chunk: number, weight: number): void {
  if (posting.chunk === chunk) counted.frequencies[posting.place] = (counted.frequencies[posting.place] ?? 0) + weight;
  else {
    posting.chunk = chunk;
    posting.place = counted.postings.push(posting) - 1;
    counted.frequencies.push(weight);
  }
  counted.length += weight;
}

async function findLexemes(
  db: Db,
  language: string | null,
  words: Word[],
  postingOf: (lexeme: string) => Marked,
): Promise<void> {
  const vocabulary = vocabularyOf(language);
  const unknown: Word[] = [];
  for (const word of words) {
    const lexemes = vocabulary.get(word.text);
    if (lexemes === undefined) unknown.push(word);
    else word.postings = lexemes.map(postingOf);
  }
  if (unknown.length === 0) return;
  const found = await listLexemes(
    db,
    language,
    unknown.map(({ text }) => text),
  );
  for (const [nth, word] of unknown.entries()) {
    const lexemes = found[nth] ?? [];
    word.postings = lexemes.map(postingOf);
    if (word.text.length <= LONGEST_REMEMBERED) vocabulary.set(word.text, lexemes);
  }
}

function vocabularyOf(language: string | null): Vocabulary {
  const words = [...vocabularies.values()].reduce((sum, { size }) => sum + size, 0);
  if (words > REMEMBERED_WORDS) vocabularies.clear();
  const vocabulary = vocabularies.get(language) ?? new Map();
  vocabularies.set(language, vocabulary);
  return vocabulary;
}
