import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from './connect.ts';
import { decodeCursor, type Position, settledBefore, toPage } from './cursor.ts';

/** A page of rows created or updated within given times, each as ISO 8601. */
export interface RangeQuery {
  cursor?: string | undefined;
  limit: number;
  created_after?: string | undefined;
  created_before?: string | undefined;
  updated_after?: string | undefined;
  updated_before?: string | undefined;
}

/** Selects the rows of one page of a list ordered by creation, or by update if the caller filters by update times. */
export interface RangePageRequest {
  query: RangeQuery;
  order: 'created_at' | 'updated_at';
  after: Position | undefined;
  /** Rows from this time on are left out: a row with an earlier time may still be committed among them. */
  settled: Date;
}

/** Restricts a query over one table, with the alias `of`, to the rows of a page, plus one more if there is one. */
export const inRange =
  ({ query, order, after, settled }: RangePageRequest, of: string) =>
  <DB, TB extends keyof DB, O>(rows: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> => {
    const [createdAt, updatedAt, at, id] = ['created_at', 'updated_at', order, 'id'].map((column) =>
      sql.ref(`${of}.${column}`),
    );
    const conditions = [
      query.created_after && sql<SqlBool>`${createdAt} >= ${query.created_after}::timestamptz`,
      query.created_before && sql<SqlBool>`${createdAt} < ${query.created_before}::timestamptz`,
      query.updated_after && sql<SqlBool>`${updatedAt} >= ${query.updated_after}::timestamptz`,
      query.updated_before && sql<SqlBool>`${updatedAt} < ${query.updated_before}::timestamptz`,
      sql<SqlBool>`${at} < ${settled}::timestamptz`,
      after && sql<SqlBool>`(${at}, ${id}) > (${after.at}::timestamptz, ${after.id}::uuid)`,
    ];
    return conditions
      .reduce((narrowed, condition) => (condition ? narrowed.where(condition) : narrowed), rows)
      .orderBy(sql`${at}`)
      .orderBy(sql`${id}`)
      .limit(query.limit + 1);
  };

/**
 * Reads a page of a list ordered by creation or update. `read` returns its rows, plus one more if there is one. Throws
 * invalid if the cursor is not ours.
 */
export async function pageOfRange<Row extends { id: string; created_at: Date; updated_at: Date }>(
  db: Db,
  query: RangeQuery,
  read: (page: RangePageRequest) => Promise<Row[]>,
) {
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const order = query.updated_after === undefined && query.updated_before === undefined ? 'created_at' : 'updated_at';
  const rows = await read({ query, order, after, settled: await settledBefore(db) });
  return toPage(rows, query.limit, (row) => row[order]);
}
