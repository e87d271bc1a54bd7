import { type DatabaseConnection, DummyDriver, PostgresDialect, type RawBuilder, Transaction } from 'kysely';
import type { Trx } from './connect.ts';
import type { Database } from './database.ts';
import { onlyRow } from './rows.ts';

/** A transaction has to name one. Its statements are compiled and sent by their executor. */
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('not a pool')) });

/**
 * Returns a view of the transaction whose statements do not wait for one another: those begun together take one round
 * trip. They run in the order in which they were begun. What follows waits for all of them.
 */
export async function pipelined(trx: Trx): Promise<Trx> {
  const connection = await connectionOf(trx);
  const executor = trx.getExecutor().withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  return new Transaction<Database>({ config: { dialect }, dialect, driver: new DummyDriver(), executor });
}

const unanswered = new WeakMap<Trx, Promise<unknown>>();

/** The answer to the last statement of a transaction. It comes while the transaction commits. */
export interface Sent<Row> {
  row: Promise<Row>;
}

/**
 * Sends the last statement of a transaction, which returns one row, to be committed without waiting for the answer. If
 * it fails, so does the transaction.
 */
export async function sendWithCommit<Row>(trx: Trx, statement: RawBuilder<Row>): Promise<Sent<Row>> {
  const connection = await connectionOf(trx);
  const row = connection.executeQuery<Row>(statement.compile(trx)).then(onlyRow);
  row.catch(() => undefined); // told by untilAnswered
  unanswered.set(trx, row);
  return { row };
}

/** Waits for the answer to a statement of sendWithCommit. Rejects if it has failed. */
export async function untilAnswered(trx: Trx): Promise<void> {
  await unanswered.get(trx);
}

/** The connection of a transaction. */
export const connectionOf = (trx: Trx): Promise<DatabaseConnection> =>
  trx.getExecutor().provideConnection(async (connection) => connection);
