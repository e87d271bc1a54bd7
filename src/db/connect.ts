import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { PipeliningDialect } from './pipelining-dialect.ts';
import { SharedPool } from './shared-pool.ts';
import type { WriteQuota } from './write-quota.ts';

/** The pool or a transaction, for code with reads or a single write statement. */
export type Db = Kysely<Database>;
/** A transaction, for code with row locks or more than one write statement. Created by inTransaction. */
export type Trx = Transaction<Database>;

const NAMED_STATEMENTS = 500;
const names = new Map<string, string>();

/** Name of the relay's connections. Its long batches lock rows, and lists need not wait for them. */
export const RELAY_APPLICATION_NAME = 'switchboard-relay';
export const APPLICATION_NAME = 'switchboard';

/**
 * A statement with this comment is never named, so Postgres plans it for its actual values. A named statement may get
 * one plan for all values. Such a plan performs badly when the number of matching rows varies a lot.
 */
export const PLANNED_EACH_TIME = '/* planned each time */';
/** The beginning of a statement that is planned each time and only reads, also one that begins with a CTE. */
export const READ_PLANNED_EACH_TIME = `/* read */ ${PLANNED_EACH_TIME}`;

/**
 * Names each statement, so that Postgres parses it once per connection. The number of names is limited, because the
 * number of distinct texts is not. Statements begun together leave in one write: each write is a call of the system, and
 * wakes Postgres.
 */
class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg.Client.query has a dozen overloads
  override query(config: any, values?: any, callback?: any): any {
    this.#gather();
    if (typeof config === 'string' && Array.isArray(values) && values.length > 0 && callback === undefined) {
      const name = statementName(config);
      if (name !== undefined) return super.query({ name, text: config, values });
    }
    return super.query(config, values, callback);
  }

  /** Gathers what is written to the socket until all that runs now has ended. */
  #gather(): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
}

export interface Connection {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** How long a request of the API waits for a lock: it holds a connection meanwhile. */
export const LOCK_TIMEOUT_MS = 2_000;

interface ConnectOptions {
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** Without it, a statement waits for locks until its own time limit. */
  lockTimeoutMs?: number;
  /** Counts what is written. Without it, nothing is counted. */
  quota?: WriteQuota;
}

/** Opens a pool. */
export function connect(url: string, options: ConnectOptions): Connection {
  const pool = new SharedPool({
    connectionString: url,
    Client: PreparingClient,
    pipeline: true,
    max: options.poolSize,
    application_name: options.applicationName ?? APPLICATION_NAME,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined); // the pool replaces a broken idle connection; queries report their own errors
  // A connection that breaks in a transaction, between two queries, fails the next query. It must not end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const { quota } = options;
  const db = new Kysely<Database>({
    dialect: new PipeliningDialect({ pool }),
    ...(quota && { log: quota.countStatement }),
  });
  const stopQuota = quota?.start(db);
  return {
    db,
    pool,
    async close() {
      await stopQuota?.();
      await db.destroy();
    },
  };
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
