import { sql } from 'kysely';
import type { Db, Trx } from './connect.ts';
import { isDeadlock } from './failures.ts';
import { untilAnswered } from './pipeline.ts';

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
      const result = await commit(db, async (trx) => {
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

/** Runs `work` in a transaction. Rejects with the error of the statement that undid it. */
async function commit<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  let begun: Trx | undefined;
  try {
    return await db.transaction().execute((trx) => {
      begun = trx;
      return work(trx);
    });
  } finally {
    if (begun !== undefined) await untilAnswered(begun);
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

/** Runs `work` so that an error undoes its writes and leaves the transaction usable. */
export async function inSavepoint<T>(trx: Trx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(trx);
  try {
    const result = await work();
    await sql`release savepoint attempt`.execute(trx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint attempt`.execute(trx);
    throw error;
  }
}
