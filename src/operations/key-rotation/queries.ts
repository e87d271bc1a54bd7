import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { SealedColumn } from './sealed-columns.ts';

const ROWS_PER_PAGE = 500;
/** A sealed secret by itself, or as a whole text of JSON, perhaps behind a prefix. Its group is the id of its key. */
const SEALED = String.raw`(?:^|[":])v1\.([\w-]+)\.[\w-]{16}\.[\w-]*\.[\w-]{22}(?=$|")`;

type KeyValue = string | number;

/** A row with the ids of the keys of its secrets. */
export interface SealedRow {
  /** The values of the primary key. The first one is the owner. */
  key: [string, ...KeyValue[]];
  /** The row in the place of its secrets. */
  row: string;
  key_ids: string[];
  /** The column's text, unless all its secrets are of the given key. */
  stored: string | null;
}

/** SQL: the columns of the primary key, with their table, as ORDER BY prefers names of the result. */
const namesOf = ({ table, key }: SealedColumn): RawBuilder<unknown> =>
  sql.join(key.map((name) => sql.ref(`${table}.${name}`)));

/** Lists the rows of a page in the order of their primary keys, also those without secrets. `keyId` is the present key. */
export async function listSealedRows(
  db: Db,
  column: SealedColumn,
  { after, keyId }: { after: SealedRow['key'] | undefined; keyId: string },
): Promise<SealedRow[]> {
  const names = namesOf(column);
  const following = after === undefined ? sql`true` : sql`(${names}) > (${sql.join(after)})`;
  const { rows } = await sql<SealedRow>`
    with page as materialized (
      select json_build_array(${names}) as key, (${sql.raw(column.row)})::text as row, ${sql.ref(column.column)}::text as stored,
        row_number() over (order by ${names}) as position
      from ${sql.table(column.table)} where ${following} order by ${names} limit ${ROWS_PER_PAGE}
    )
    select key, row, key_ids, case when key_ids <@ array[${keyId}::text] then null else stored end as stored
    from page, lateral (
      select coalesce(array_agg(found[1]), '{}') as key_ids from regexp_matches(stored, ${SEALED}, 'g') as found
    ) as secrets
    order by position
  `.execute(db);
  return rows;
}

/** Replaces the text of a row's column, unless it was changed meanwhile. Returns whether it was replaced. */
export async function replaceSealed(
  db: Db,
  column: SealedColumn,
  { key, stored, resealed }: { key: SealedRow['key']; stored: string; resealed: string },
): Promise<boolean> {
  const isRow = sql.join(
    column.key.map((name, n) => sql`${sql.ref(name)} = ${key[n]}`),
    sql` and `,
  );
  const { numAffectedRows } = await sql`
    update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${resealed}
    where ${isRow} and ${sql.ref(column.column)}::text = ${stored}
  `.execute(db);
  return numAffectedRows === 1n;
}
