import { sql } from 'kysely';
import type { Db, Trx } from './connect.ts';
import { isDeadlock } from './failures.ts';

const MAX_TRIES = 3;

type CommitCallback = (db: Db) => void;

const callbacksOf = new WeakMap<object, CommitCallback[]>();

/**
 * Runs `work` in a transaction, or in the caller's if `db` already is one. After a deadlock `work` runs again from its
 * beginning, at most twice: it must have no effects outside the database.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return work(db);
  for (let tries = 1; ; tries++) {
    const hooks: CommitCallback[] = [];
    try {
      const result = await db.transaction().execute(async (trx) => {
        callbacksOf.set(trx, hooks);
        return work(trx);
      });
      for (const hook of hooks) hook(db);
      return result;
    } catch (error) {
      if (tries === MAX_TRIES || !isDeadlock(error)) throw error;
    }
  }
}

const isTransaction = (db: Db): db is Trx => db.isTransaction;

/**
 * Calls `hook` once the transaction has committed, or immediately without a transaction. A crash in between loses the
 * call, so it is for hints only.
 */
export function afterCommit(db: Db, hook: CommitCallback): void {
  const hooks = callbacksOf.get(db);
  if (hooks === undefined) hook(db);
  else if (!hooks.includes(hook)) hooks.push(hook);
}

/**
 * Runs `work` so that an error undoes its writes and leaves the transaction usable. `work` begins once `needed` has
 * resolved too.
 */
export async function inSavepoint<T>(trx: Trx, work: () => Promise<T>, needed?: Promise<unknown>): Promise<T> {
  await Promise.all([sql`savepoint attempt`.execute(trx), needed]);
  try {
    const result = await work();
    await sql`release savepoint attempt`.execute(trx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(trx);
    throw error;
  }
}
