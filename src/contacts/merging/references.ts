import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Reference } from '../../db/deletion.ts';

/** Makes all rows that refer to one row refer to another one. Returns their number. */
export async function moveReferences(
  trx: Trx,
  orgId: string,
  { table, column }: Reference,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${toId}::uuid
    where org_id = ${orgId} and ${sql.ref(column)} = ${fromId}::uuid
  `.execute(trx);
  return Number(numAffectedRows);
}

/** Counts the rows that refer to a row, up to one more than a limit. */
export async function countReferences(
  db: Db,
  orgId: string,
  { table, column }: Reference,
  { id, limit }: { id: string; limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from ${sql.table(table)} where org_id = ${orgId} and ${sql.ref(column)} = ${id}::uuid limit ${limit + 1}
    ) as referring
  `.execute(db);
  return rows[0]?.count ?? 0;
}
