import type { Db } from '../../db/connect.ts';
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

interface Texts {
  language: string | null;
  /** How much each word of a text counts. */
  texts: { words: string; weight: number }[];
}

interface Counted {
  language: string | null;
  /** By word. */
  counts: Map<string, number>;
}

/** How often each lexeme is in each of these, as `to_tsvector` finds them in the configuration of the language. */
export async function countLexemes(db: Db, all: Texts[]): Promise<Map<string, number>[]> {
  const counted = all.map(({ language, texts }) => ({ language, counts: countWords(texts) }));
  const ofLanguages = new Map<string | null, ReadonlyMap<string, readonly string[]>>();
  for (const [language, some] of Map.groupBy(counted, (one) => one.language)) {
    ofLanguages.set(language, await findLexemes(db, language, some));
  }
  return counted.map(({ language, counts }) => {
    const lexemesOf = ofLanguages.get(language);
    const frequencies = new Map<string, number>();
    for (const [word, count] of counts) {
      for (const lexeme of lexemesOf?.get(word) ?? []) frequencies.set(lexeme, (frequencies.get(lexeme) ?? 0) + count);
    }
    return frequencies;
  });
}

function countWords(texts: Texts['texts']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words, weight } of texts) {
    for (const word of words.match(WORD) ?? []) counts.set(word, (counts.get(word) ?? 0) + weight);
  }
  return counts;
}

async function findLexemes(db: Db, language: string | null, all: Counted[]): Promise<Map<string, readonly string[]>> {
  const vocabulary = vocabularyOf(language);
  const found = new Map<string, readonly string[]>();
  const unknown: string[] = [];
  for (const { counts } of all) {
    for (const word of counts.keys()) {
      if (found.has(word)) continue;
      const known = vocabulary.get(word);
      found.set(word, known ?? []);
      if (known === undefined) unknown.push(word);
    }
  }
  const lexemes = unknown.length === 0 ? [] : await listLexemes(db, language, unknown);
  for (const [nth, word] of unknown.entries()) {
    found.set(word, lexemes[nth] ?? []);
    if (word.length <= LONGEST_REMEMBERED) vocabulary.set(word, lexemes[nth] ?? []);
  }
  return found;
}

function vocabularyOf(language: string | null): Vocabulary {
  const words = [...vocabularies.values()].reduce((sum, { size }) => sum + size, 0);
  if (words > REMEMBERED_WORDS) vocabularies.clear();
  const vocabulary = vocabularies.get(language) ?? new Map();
  vocabularies.set(language, vocabulary);
  return vocabulary;
}
