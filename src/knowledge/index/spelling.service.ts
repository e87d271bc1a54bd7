import { LRUCache } from 'lru-cache';
import type { Trx } from '../../db/connect.ts';
import { shareName } from '../../db/locks.ts';
import { afterCommit } from '../../db/transaction.ts';
import { isGram } from './analysis.rules.ts';
import { findVocabularyGeneration, insertWords, vocabularyLockOf } from './lexemes.queries.ts';

const MAX_CACHED_ORGS = 8;
const MAX_CACHED_WORDS = 40_000;
const NUMBER = /[0-9]/;

interface KnownWords {
  /** Words are deleted only with a change of generation. */
  generation: number;
  words: Set<string>;
}

/** Words certain to be stored, by org. */
const knownWords = new LRUCache<string, KnownWords>({ max: MAX_CACHED_ORGS });

/**
 * Stores lexemes new to the org, as candidates for misspelled words in queries. Numbers and grams are left out. No word
 * is deleted until the transaction has ended.
 */
export async function insertSpellings(trx: Trx, orgId: string, lexemes: string[]): Promise<void> {
  await shareName(trx, vocabularyLockOf(orgId));
  const generation = await findVocabularyGeneration(trx, orgId);
  const cached = knownWords.get(orgId);
  const known = cached?.generation === generation ? cached : { generation, words: new Set<string>() };
  const unknown = lexemes.filter((lexeme) => !known.words.has(lexeme) && !NUMBER.test(lexeme) && !isGram(lexeme));
  if (unknown.length === 0) return;
  await insertWords(trx, orgId, unknown);
  afterCommit(trx, () => {
    knownWords.set(orgId, known);
    for (const word of unknown.slice(0, MAX_CACHED_WORDS - known.words.size)) known.words.add(word);
  });
}
