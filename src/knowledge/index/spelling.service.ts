import { LRUCache } from 'lru-cache';
import type { Trx } from '../../db/connect.ts';
import { shareName } from '../../db/locks.ts';
import { afterCommit } from '../../db/transaction.ts';
import { isGram } from './analysis.rules.ts';
import { findVocabularyGeneration, insertWords, vocabularyLockOf } from './lexemes.queries.ts';

const MAX_CACHED_ORGS = 8;
const MAX_CACHED_WORDS = 40_000;
const NUMBER = /[0-9]/;

/** Words of an org that are certain to be stored. */
export interface KnownWords {
  /** Words are deleted only with a change of generation. */
  generation: number;
  words: Set<string>;
}

/** Words certain to be stored, by org. */
const knownWords = new LRUCache<string, KnownWords>({ max: MAX_CACHED_ORGS });

/** Returns the words known to be stored. No word of the org is deleted until the transaction has ended. */
export async function readKnownWords(trx: Trx, orgId: string): Promise<KnownWords> {
  // in this order: a generation read before the lock could be an old one
  const [, generation] = await Promise.all([
    shareName(trx, vocabularyLockOf(orgId)),
    findVocabularyGeneration(trx, orgId),
  ]);
  const cached = knownWords.get(orgId);
  return cached?.generation === generation ? cached : { generation, words: new Set() };
}

/** Stores lexemes new to the org, as candidates for misspelled words in queries. Numbers and grams are left out. */
export async function insertSpellings(trx: Trx, orgId: string, words: KnownWords, lexemes: string[]): Promise<void> {
  const unknown = lexemes.filter((lexeme) => !words.words.has(lexeme) && !NUMBER.test(lexeme) && !isGram(lexeme));
  if (unknown.length === 0) return;
  await insertWords(trx, orgId, unknown);
  afterCommit(trx, () => {
    knownWords.set(orgId, words);
    for (const word of unknown.slice(0, MAX_CACHED_WORDS - words.words.size)) words.words.add(word);
  });
}
