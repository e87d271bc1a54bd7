import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Config } from '../../config.ts';
import { StartRefused } from '../../logging/failing-start.ts';
import { connect, type Db } from '../connect.ts';
import { isDatabaseUnavailable } from '../failures.ts';
import { onlyRow } from '../rows.ts';
import {
  allowedConnections,
  CONNECTIONS_OF_OPERATORS,
  type ConnectionLimits,
  MIN_POOL_SIZE,
  neededConnections,
  poolSizeFor,
} from './pool-sizes.rules.ts';
import { refuseSharedConnections } from './poolers.ts';

const RETRY_MS = 1_000;

type Log = Pick<FastifyBaseLogger, 'warn'>;

/** Repeats a read while the database is away. */
export async function onceAvailable<Result>(read: () => Promise<Result>, log: Log): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      log.warn({ err: error }, 'The database is away; retrying');
      await sleep(RETRY_MS);
    }
  }
}

/** Reads how many connections Postgres allows. */
export async function readConnectionLimits(db: Db): Promise<ConnectionLimits> {
  return onlyRow(
    await sql<ConnectionLimits>`
      select current_setting('max_connections')::integer as max_connections,
        current_setting('superuser_reserved_connections')::integer
          + coalesce(current_setting('reserved_connections', true), '0')::integer as reserved,
        (select datconnlimit from pg_database where datname = current_database()) as database_limit,
        (select rolconnlimit from pg_roles where rolname = current_user) as user_limit
    `.execute(db),
  );
}

/**
 * Returns the size of this program's pool. Waits while the database is away. Throws StartRefused if the programs need more
 * connections than it allows, or if a pooler shares them.
 */
export async function choosePoolSize(
  {
    DATABASE_URL,
    DATABASE_POOL_SIZE,
    DATABASE_PROCESSES,
  }: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL_SIZE' | 'DATABASE_PROCESSES'>,
  log: Log,
): Promise<number> {
  await onceAvailable(() => refuseSharedConnections(DATABASE_URL), log);
  const { db, close } = connect(DATABASE_URL, { poolSize: 1 });
  try {
    const limits = await onceAvailable(() => readConnectionLimits(db), log);
    const poolSize = poolSizeFor(limits, DATABASE_PROCESSES, DATABASE_POOL_SIZE);
    if (poolSize === undefined) throw new StartRefused(tooFew(limits, DATABASE_PROCESSES));
    if (poolSize < DATABASE_POOL_SIZE)
      log.warn(
        { poolSize, wanted: DATABASE_POOL_SIZE, allowed: allowedConnections(limits), processes: DATABASE_PROCESSES },
        'The pool is smaller than DATABASE_POOL_SIZE: Postgres allows too few connections for DATABASE_PROCESSES such pools',
      );
    return poolSize;
  } finally {
    await close();
  }
}

function tooFew(limits: ConnectionLimits, processes: number): string {
  const needed = neededConnections(processes, MIN_POOL_SIZE);
  return `Postgres allows ${allowedConnections(limits)} connections (max_connections ${limits.max_connections}, ${limits.reserved} of them reserved), and DATABASE_PROCESSES ${processes} need ${needed} with the smallest pools, ${CONNECTIONS_OF_OPERATORS} of them for operators: raise max_connections or the limit of the user or database, or lower DATABASE_PROCESSES`;
}
