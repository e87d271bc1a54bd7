/** What Postgres says about connections. -1 stands for no limit. */
export interface ConnectionLimits {
  max_connections: number;
  /** Kept for superusers and for pg_use_reserved_connections. */
  reserved: number;
  /** The limits of the database and of the user. */
  database_limit: number;
  user_limit: number;
}

/** Connections of a program besides its pool: those that listen, those of the relay, and that of exports. */
export const CONNECTIONS_BESIDES_POOL = 8;
/** Connections for migrations, the operator's commands and backups. */
export const CONNECTIONS_OF_OPERATORS = 5;
export const MIN_POOL_SIZE = 4;

/** Returns how many connections the programs and the operator may have together. */
export function allowedConnections(limits: ConnectionLimits): number {
  const limited = [limits.database_limit, limits.user_limit].filter((limit) => limit >= 0);
  return Math.min(limits.max_connections - limits.reserved, ...limited);
}

/** Returns how many connections a number of programs needs with pools of a size. */
export const neededConnections = (processes: number, poolSize: number): number =>
  processes * (poolSize + CONNECTIONS_BESIDES_POOL) + CONNECTIONS_OF_OPERATORS;

/**
 * Returns the size of the pool of each of a number of programs, at most the wanted one. The sum for all programs fits in
 * what Postgres allows. undefined: not even the smallest pools fit.
 */
export function poolSizeFor(limits: ConnectionLimits, processes: number, wanted: number): number | undefined {
  const share = Math.floor((allowedConnections(limits) - CONNECTIONS_OF_OPERATORS) / processes);
  const size = Math.min(wanted, share - CONNECTIONS_BESIDES_POOL);
  return size < MIN_POOL_SIZE ? undefined : size;
}
