import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Reference } from '../../db/deletion.ts';
import type { ContactPart, MergedPair } from './parts.port.ts';

/** Makes all rows that refer to one row refer to another one. Returns their number. */
export async function moveReferences(
  trx: Trx,
  orgId: string,
  { table, column }: Reference,
  { fromId, toId }: MergedPair,
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

/** References to contacts, by the kind of row that a merge names them by. */
type ReferencesByKind = Record<string, Reference[]>;

/** Returns how a merge counts and moves rows that refer to a contact, and need nothing else. */
export const partOf = (kinds: ReferencesByKind): ContactPart => ({
  count: countOf(kinds),
  move: async (trx, orgId, pair) => sumsOf(kinds, (reference) => moveReferences(trx, orgId, reference, pair)),
});

/** Returns how a merge counts the rows that refer to a contact. */
export const countOf =
  (kinds: ReferencesByKind): ContactPart['count'] =>
  (db, orgId, { fromId: id }, limit) =>
    sumsOf(kinds, (reference) => countReferences(db, orgId, reference, { id, limit }));

/** Adds up a number for each kind, one reference after the other: they share a connection. */
async function sumsOf(kinds: ReferencesByKind, numberOf: (reference: Reference) => Promise<number>) {
  const sums: Record<string, number> = {};
  for (const [kind, references] of Object.entries(kinds))
    for (const reference of references) sums[kind] = (sums[kind] ?? 0) + (await numberOf(reference));
  return sums;
}
