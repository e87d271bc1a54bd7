import { type Connection, connect, type Db, type Trx } from './connect.ts';
import { isStalePlan } from './failures.ts';

/** Lists of new rows do not wait for these connections, whose transactions are long and write nothing. */
const APPLICATION_NAME = 'switchboard-export';
const STATEMENT_TIMEOUT_MS = 600_000;
const MAX_TRIES = 3;

/** Opens a pool for transactions of minutes that only read. */
export const connectForSnapshots = (url: string, poolSize: number): Connection =>
  connect(url, { poolSize, applicationName: APPLICATION_NAME, statementTimeoutMs: STATEMENT_TIMEOUT_MS });

/**
 * Runs `read` in a transaction whose statements all see the database as the first one does. It cannot write. After a
 * migration that gave a table another column, `read` runs again from its beginning, at most twice.
 */
export async function inSnapshot<Result>(db: Db, read: (trx: Trx) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
    } catch (error) {
      if (tries === MAX_TRIES || !isStalePlan(error)) throw error;
    }
  }
}
