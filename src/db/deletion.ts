import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';

const ROWS_PER_DELETION = 1_000;

/** Deletes some of the rows of a table that fit a condition. Returns their number: 0 once none are left. */
export async function deleteSome(db: Db, table: string, condition: RawBuilder<unknown>): Promise<number> {
  const name = sql.table(table);
  const { numAffectedRows = 0n } = await sql`
    delete from ${name} where ctid = any(array(select ctid from ${name} where ${condition} limit ${ROWS_PER_DELETION}))
  `.execute(db);
  return Number(numAffectedRows);
}
