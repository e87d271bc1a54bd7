import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db, Trx } from './connect.ts';
import { connectionOf, sendAhead, untilAnswered } from './connections/pipeline.ts';
import { followCommit } from './connections/pipelining-dialect.ts';
import { isContactGone, isDeadlock, isStalePlan } from './failures.ts';
import { addHint, type Hints, notify, notifyBy } from './notify.ts';

const MAX_TRIES = 3;
/** Those in a deadlock begin again at different times, or they would meet again. */
const MAX_PAUSE_MS = 100;

type CommitCallback = (db: Db) => void;

/** What is called, and told, once a transaction has committed. */
interface Aftermath {
  db: Db;
  hooks: CommitCallback[];
  hints: Hints;
}
const aftermaths = new WeakMap<object, Aftermath>();

/**
 * Runs `work` in a transaction, or in the caller's if `db` already is one. After a deadlock,
 * after a migration that gave a table another column, and if a contact was merged or deleted meanwhile, `work` runs again
 * from its beginning, at most twice: it must have no effects outside the database.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return work(db);
  for (let tries = 1; ; tries++) {
    const after: Aftermath = { db, hooks: [], hints: new Map() };
    try {
      const result = await commit(db, async (trx) => {
        aftermaths.set(trx, after);
        const done = await work(trx);
        if (after.hints.size > 0) await notifyBehindCommit(trx, after);
        return done;
      });
      for (const hook of after.hooks) hook(db);
      return result;
    } catch (error) {
      if (tries === MAX_TRIES || !(isDeadlock(error) || isStalePlan(error) || isContactGone(error))) throw error;
      await sleep(Math.random() * MAX_PAUSE_MS);
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

/** Sends the notifications right behind the commit, or after it if others are being sent. */
async function notifyBehindCommit(trx: Trx, { db, hooks, hints }: Aftermath): Promise<void> {
  followCommit(await connectionOf(trx), (connection) => {
    if (!notifyBy(db, hints, (statement) => connection.executeQuery(statement)))
      hooks.push(() => {
        for (const [channel, ofChannel] of hints) for (const hint of ofChannel) notify(db, channel, hint);
      });
  });
}

const isTransaction = (db: Db): db is Trx => db.isTransaction;

/**
 * Calls `hook` once the transaction has committed, or immediately without a transaction. A crash in between loses the
 * call, so it is for hints only.
 */
export function afterCommit(db: Db, hook: CommitCallback): void {
  const hooks = aftermaths.get(db)?.hooks;
  if (hooks === undefined) hook(db);
  else if (!hooks.includes(hook)) hooks.push(hook);
}

/** Notifies a channel like `notify` once the transaction has committed, or immediately without a transaction. */
export function notifyAfterCommit(db: Db, channel: string, hint = ''): void {
  const after = aftermaths.get(db);
  if (after === undefined) notify(db, channel, hint);
  else addHint(after.hints, channel, hint);
}

/** Returns the pool of a transaction, or the given one. */
export const poolOf = (db: Db): Db => aftermaths.get(db)?.db ?? db;

/** The number of savepoints that a transaction is in. */
const depths = new WeakMap<Trx, number>();

/**
 * Runs `work` so that an error undoes its writes, with what it wanted called after the commit, and leaves the transaction
 * usable. It takes one round trip: the savepoint goes ahead of the first statement, and the answers to all statements
 * that were sent ahead come with that to its release.
 */
export async function inSavepoint<T>(trx: Trx, work: () => Promise<T>): Promise<T> {
  const hooks = aftermaths.get(trx)?.hooks;
  const hooksBefore = hooks?.length;
  const depth = (depths.get(trx) ?? 0) + 1;
  const name = sql.id(`attempt_${depth}`); // by depth: an undone savepoint remains, and would hide an outer one
  depths.set(trx, depth);
  await sendAhead(trx, sql`savepoint ${name}`);
  try {
    const result = await work();
    await sendAhead(trx, sql`release savepoint ${name}`);
    await untilAnswered(trx);
    return result;
  } catch (error) {
    hooks?.splice(hooksBefore ?? 0);
    await sql`rollback to savepoint ${name}`.execute(trx);
    await untilAnswered(trx); // an earlier failure tells the cause
    throw error;
  } finally {
    depths.set(trx, depth - 1);
  }
}
