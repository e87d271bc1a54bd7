import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';

/** The pool, or a transaction: what only reads, or writes one statement, need not know. */
export type Db = Kysely<Database>;
/** A transaction, for what locks rows or writes more than one statement. Made by inTransaction. */
export type Trx = Transaction<Database>;

const NAMED_STATEMENTS = 500;
const names = new Map<string, string>();

/** Long batches hold their row locks under this name, so that lists need not wait for them. */
export const RELAY_APPLICATION_NAME = 'switchboard-relay';
export const APPLICATION_NAME = 'switchboard';

/**
 * A statement with this mark is never named, so that Postgres plans it for the values at hand. A named one may get one plan for
 * all values, which is far off where few rows match or most.
 */
export const PLANNED_EACH_TIME = '/* planned each time */';

/** Names each statement, so that Postgres parses it once a connection. Bounded, as texts could be unlimited. */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg.Client.query has a dozen overloads
  override query(config: any, values?: any, callback?: any): any {
    if (typeof config === 'string' && Array.isArray(values) && values.length > 0 && callback === undefined) {
      const name = statementName(config);
      if (name !== undefined) return super.query({ name, text: config, values });
    }
    return super.query(config, values, callback);
  }
}

export interface Connection {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** Opens a pool. `applicationName` shows in pg_stat_activity. */
export function connect(url: string, options: { poolSize: number; applicationName?: string }): Connection {
  const pool = new pg.Pool({
    connectionString: url,
    Client: PreparingClient,
    max: options.poolSize,
    application_name: options.applicationName ?? APPLICATION_NAME,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined); // an idle connection that breaks is replaced; queries report their own errors
  // One that breaks in a transaction, between two queries, fails the next query: it must not end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= NAMED_STATEMENTS || text.includes(PLANNED_EACH_TIME)) return undefined;
  const name = createHash('sha1').update(text).digest('base64url');
  names.set(text, name);
  return name;
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
