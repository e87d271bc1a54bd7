import type { Db } from '../../db/connect.ts';
import { tryLockName } from '../../db/locks.ts';
import { inTransaction } from '../../db/transaction.ts';
import { vocabularyLockOf } from './lexemes.queries.ts';
import { deleteNextUnusedWords, listUncheckedVocabularies } from './maintenance.queries.ts';

/** More than one, because an org's words are not checked while a transaction adds some. */
const ORGS_PER_CHECK = 20;

/** Deletes words that no text has any more, some at a time. Returns the number of checked words: 0 once all are. */
export async function deleteUnusedWords(db: Db): Promise<number> {
  let checked = 0;
  for (const orgId of await listUncheckedVocabularies(db, ORGS_PER_CHECK))
    checked += await inTransaction(db, async (trx) =>
      (await tryLockName(trx, vocabularyLockOf(orgId))) ? deleteNextUnusedWords(trx, orgId) : 0,
    );
  return checked;
}
