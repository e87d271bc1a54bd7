import {
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';

/** What is to be sent right behind the commit of a transaction, by its connection. */
const followers = new WeakMap<DatabaseConnection, (connection: DatabaseConnection) => void>();

/** Lets `send` send statements right behind the commit of the transaction of this connection, without waiting for it. */
export function followCommit(connection: DatabaseConnection, send: (connection: DatabaseConnection) => void): void {
  followers.set(connection, send);
}

/**
 * Postgres on connections that send statements without waiting for the answers to earlier ones. A transaction begins
 * with its first statement, in one round trip.
 */
export class PipeliningDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new PipeliningDriver(this.#config);
  }
}

class PipeliningDriver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<void>>();

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const begun = super.beginTransaction(connection, settings);
    begun.catch(() => undefined); // told by the commit
    this.#begun.set(connection, begun);
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const committed = super.commitTransaction(connection);
    const follow = followers.get(connection);
    followers.delete(connection);
    follow?.(connection);
    await Promise.all([this.#begun.get(connection), committed]);
  }
}
