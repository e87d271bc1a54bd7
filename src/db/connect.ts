import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import { PipeliningDialect } from './connections/pipelining-dialect.ts';
import { PreparingClient } from './connections/preparing-client.ts';
import { SharedPool } from './connections/shared-pool.ts';
import type { Database } from './database.ts';
import type { WriteQuota } from './write-quota.ts';

/** The pool or a transaction, for code with reads or a single write statement. */
export type Db = Kysely<Database>;
/** A transaction, for code with row locks or more than one write statement. Created by inTransaction. */
export type Trx = Transaction<Database>;

/** Name of the relay's connections. Its long batches lock rows, and lists need not wait for them. */
export const RELAY_APPLICATION_NAME = 'switchboard-relay';
export const APPLICATION_NAME = 'switchboard';

export interface Connection {
  db: Db;
  pool: pg.Pool;
  close(): Promise<void>;
}

/** How long a request of the API waits for a lock: it holds a connection meanwhile. */
export const LOCK_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_MS = 60_000;

interface ConnectOptions {
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** Without it, a statement waits for locks until its own time limit. */
  lockTimeoutMs?: number;
  /** 0: as long as the server allows. */
  statementTimeoutMs?: number;
  /** Counts what is written. Without it, nothing is counted. */
  quota?: WriteQuota;
}

/**
 * Returns the statements that limit the times of a session. They are no parameters of its start, which poolers refuse or,
 * if told so, ignore.
 */
const timeLimits = ({ statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs }: ConnectOptions): string =>
  [
    `set statement_timeout = ${statementTimeoutMs}`,
    ...(lockTimeoutMs === undefined ? [] : [`set lock_timeout = ${lockTimeoutMs}`]),
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  ].join('; ');

/** Opens a pool. */
export function connect(url: string, options: ConnectOptions): Connection {
  const limits = timeLimits(options);
  // The pool waits for it, and fails if it does.
  const limitTimes = (client: pg.ClientBase): unknown => client.query(limits);
  const pool = new SharedPool({
    connectionString: url,
    Client: PreparingClient,
    pipeline: true,
    max: options.poolSize,
    application_name: options.applicationName ?? APPLICATION_NAME,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    onConnect: limitTimes,
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

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
