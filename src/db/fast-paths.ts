import type { Db } from './connect.ts';
import { poolOf } from './transaction.ts';

/** The pools whose work takes no fast path. */
const slowPools = new WeakSet<Db>();

/** Has all work of a pool take the slow path wherever there is a fast one with the same result. */
export function turnOffFastPaths(pool: Db): void {
  slowPools.add(pool);
}

/** Returns whether the work of a pool, or of a transaction of it, may take a fast path. */
export const hasFastPaths = (db: Db): boolean => !slowPools.has(poolOf(db));
