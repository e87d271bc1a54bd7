import { LRUCache } from 'lru-cache';
import type { Trx } from '../../db/connect.ts';
import { afterCommit } from '../../db/transaction.ts';
import { isGram } from './analysis.rules.ts';
import { insertWords } from './lexemes.queries.ts';

const MAX_CACHED_ORGS = 8;
const MAX_CACHED_WORDS = 40_000;
const NUMBER = /[0-9]/;

/** Words certain to be stored, by org. They are never deleted. */
const knownWords = new LRUCache<string, Set<string>>({ max: MAX_CACHED_ORGS });

/** Stores lexemes new to the org, as candidates for misspelled words in queries. Numbers and grams are left out. */
export async function insertSpellings(trx: Trx, orgId: string, lexemes: string[]): Promise<void> {
  const known = knownWords.get(orgId) ?? new Set();
  const unknown = lexemes.filter((lexeme) => !known.has(lexeme) && !NUMBER.test(lexeme) && !isGram(lexeme));
  if (unknown.length === 0) return;
  await insertWords(trx, orgId, unknown);
  afterCommit(trx, () => {
    knownWords.set(orgId, known);
    for (const word of unknown.slice(0, MAX_CACHED_WORDS - known.size)) known.add(word);
  });
}
