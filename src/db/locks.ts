import { sql } from 'kysely';
import type { Db, Trx } from './connect.ts';
import { onlyRow } from './rows.ts';

/**
 * Locks the name until the transaction ends. Other transactions wait here for the same name. Different subjects need
 * different names.
 */
export async function lockName(trx: Trx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}

/** Locks names like lockName, in one order: two transactions with the same names never wait for each other. */
export async function lockNames(trx: Trx, names: string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(key)
    from (select distinct hashtextextended(name, 0) as key from unnest(${names}::text[]) as name order by key) as ordered
  `.execute(trx);
}

/** Locks the name until the transaction ends, together with others that share it. Waits for lockName, which waits for all of them. */
export async function shareName(trx: Trx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`.execute(trx);
}

/** Locks the name like lockName, but does not wait. Returns whether no other transaction has locked it. */
export async function tryLockName(trx: Trx, name: string): Promise<boolean> {
  const locked = sql<{ is_locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as is_locked`;
  return onlyRow(await locked.execute(trx)).is_locked;
}

/** Returns whether a transaction has locked the name by now, without a lock that lasts. Call it outside a transaction. */
export async function isNameLocked(db: Db, name: string): Promise<boolean> {
  const shared = sql<{ is_free: boolean }>`
    select pg_try_advisory_xact_lock_shared(hashtextextended(${name}, 0)) as is_free`;
  return !onlyRow(await shared.execute(db)).is_free;
}

/** Has the transaction fail at once where it would wait longer than this for a lock. */
export async function limitLockWaits(trx: Trx, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`.execute(trx);
}
