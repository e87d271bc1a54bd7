import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { NIL_UUID } from '../ids.ts';
import type { Trx } from './connect.ts';
import { onlyRow } from './rows.ts';

/** The rows that were created within given times, or all. */
export interface CreatedWithin {
  created_after: Date | null;
  created_before: Date | null;
}

/** A part of the rows of an org in the order of their ids. */
export interface KeysetPage extends CreatedWithin {
  after: string;
  limit: number;
}

/** Restricts a query over the table `of` to the rows of a page. */
export const inIdOrder =
  ({ after, limit, ...created }: KeysetPage, of: string) =>
  <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> => {
    const id = sql.ref(`${of}.id`);
    return query
      .$call(createdWithin(created, of))
      .where(sql<SqlBool>`${id} > ${after}::uuid`)
      .orderBy(sql`${id}`)
      .limit(limit);
  };

const createdWithin =
  ({ created_after, created_before }: CreatedWithin, of: string) =>
  <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> => {
    const at = sql.ref(`${of}.created_at`);
    return query
      .$if(created_after !== null, (rows) => rows.where(sql<SqlBool>`${at} >= ${created_after}::timestamptz`))
      .$if(created_before !== null, (rows) => rows.where(sql<SqlBool>`${at} < ${created_before}::timestamptz`));
  };

/** Returns how many rows of a query over the table `of` were created within given times. */
export async function countCreated<DB, TB extends keyof DB, O>(
  trx: Trx,
  query: SelectQueryBuilder<DB, TB, O>,
  { of, created }: { of: string; created: CreatedWithin },
): Promise<number> {
  const counted = query
    .$call(createdWithin(created, of))
    .clearSelect()
    .select(sql<number>`count(*)::integer`.as('count'));
  return onlyRow(await sql<{ count: number }>`select count from (${counted}) as counted`.execute(trx)).count;
}

/** Reads all rows in the order of their ids, `limit` of them at a time. */
export async function* pagesById<Row extends { id: string }>(
  limit: number,
  read: (page: Pick<KeysetPage, 'after' | 'limit'>) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: string = NIL_UUID; ; ) {
    const rows = await read({ after, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}
