import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.ts';

const ROWS_PER_DELETION = 1_000;
const MAX_REPEATING_MS = 5_000;

/** Deletes some of the rows of a table that fit a condition. Returns their number: 0 once none are left. */
export async function deleteSome(db: Db, table: string, condition: RawBuilder<unknown>): Promise<number> {
  const name = sql.table(table);
  const { numAffectedRows = 0n } = await sql`
    delete from ${name} where ctid = any(array(select ctid from ${name} where ${condition} limit ${ROWS_PER_DELETION}))
  `.execute(db);
  return Number(numAffectedRows);
}

/** A column that refers to rows of another table, with a foreign key that clears it when such a row is deleted. */
export interface Reference {
  table: string;
  column: string;
}

/** More references are cleared by a workflow before the row is deleted. */
const MAX_REFERENCES_AT_ONCE = 1_000;

/** Returns whether so many rows refer to a row that its deletion would take long. */
export async function hasManyReferences(
  db: Db,
  orgId: string,
  { table, column }: Reference,
  id: string | number,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where org_id = ${orgId} and ${sql.ref(column)} = ${id}
    offset ${MAX_REFERENCES_AT_ONCE} limit 1
  `.execute(db);
  return rows.length > 0;
}

/** Clears some references to a row, as its foreign key would clear all. Locked rows are left out. Returns their number. */
export async function clearSomeReferences(
  db: Db,
  orgId: string,
  { table, column }: Reference,
  id: string | number,
): Promise<number> {
  const [name, reference] = [sql.table(table), sql.ref(column)];
  const { numAffectedRows = 0n } = await sql`
    update ${name} set ${reference} = null where ctid = any(array(
      select ctid from ${name} where org_id = ${orgId} and ${reference} = ${id} limit ${ROWS_PER_DELETION}
      for no key update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows);
}

/** Repeats a step of a long deletion for some seconds. Returns whether a step has found that everything is done. */
export async function repeatForSeconds(isStopped: () => boolean, step: () => Promise<boolean>): Promise<boolean> {
  const endAt = performance.now() + MAX_REPEATING_MS;
  while (performance.now() < endAt && !isStopped()) if (await step()) return true;
  return false;
}
