import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  PostgresDialect,
  type QueryResult,
  type RawBuilder,
  Transaction,
} from 'kysely';
import type { Trx } from '../connect.ts';
import type { Database } from '../database.ts';
import { onlyRow } from '../rows.ts';

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

const unanswered = new WeakMap<Trx, Promise<unknown>[]>();

/** A statement, compiled or not. */
type Statement<Row> = RawBuilder<Row> | CompiledQuery<Row>;

/** The answer to the last statement of a transaction. It comes while the transaction commits. */
export interface Sent<Row> {
  row: Promise<Row>;
}

/**
 * Sends the last statement of a transaction, which returns one row, to be committed without waiting for the answer. If
 * it fails, so does the transaction.
 */
export async function sendWithCommit<Row>(trx: Trx, statement: Statement<Row>): Promise<Sent<Row>> {
  return { row: send(trx, await connectionOf(trx), statement, onlyRow) };
}

/**
 * Sends a statement that nothing before the commit depends on, without waiting for the answer. It comes with the next
 * one or the commit. If the statement fails, so does the transaction, or the savepoint.
 */
export async function sendAhead<Row>(trx: Trx, statement: Statement<Row>): Promise<{ rows: Promise<Row[]> }> {
  return { rows: send(trx, await connectionOf(trx), statement, ({ rows }) => rows) };
}

function send<Row, Answer>(
  trx: Trx,
  connection: DatabaseConnection,
  statement: Statement<Row>,
  read: (result: QueryResult<Row>) => Answer,
): Promise<Answer> {
  const compiled = 'compile' in statement ? statement.compile(trx) : statement;
  const answer = connection.executeQuery<Row>(compiled).then(read);
  answer.catch(() => undefined); // told by untilAnswered
  unanswered.set(trx, [...(unanswered.get(trx) ?? []), answer]);
  return answer;
}

/** Waits for the answers to all statements that were sent without waiting. Rejects with the first failure. */
export async function untilAnswered(trx: Trx): Promise<void> {
  const answers = unanswered.get(trx) ?? [];
  unanswered.delete(trx);
  await Promise.all(answers);
}

/** The connection of a transaction. */
export const connectionOf = (trx: Trx): Promise<DatabaseConnection> =>
  trx.getExecutor().provideConnection(async (connection) => connection);
