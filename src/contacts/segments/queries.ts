import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import type { FullFilter } from '../filters/schema.ts';

const columns = ['id', 'name', 'created_at', 'updated_at'] as const;
const filter = sql<FullFilter | null>`filter`.as('filter');

/** Serializes changes of the org's segments, so that no two of them create a cycle together. */
export async function lockSegments(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `segments ${orgId}`);
}

export function insertSegment(db: Db, segment: { org_id: string; id: string; name: string; filter: string | null }) {
  return db.insertInto('segments').values(segment).returning(columns).returning(filter).executeTakeFirstOrThrow();
}

export function findSegment(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('segments')
    .select(columns)
    .select(filter)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function updateSegment(db: Db, orgId: string, id: string, changes: { name?: string; filter?: string | null }) {
  return db
    .updateTable('segments')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columns)
    .returning(filter)
    .executeTakeFirst();
}

export async function deleteSegment(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('segments')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns a page of segments by creation. */
export const listSegments = (db: Db, orgId: string, page: PageRequest) =>
  db
    .selectFrom('segments')
    .select(columns)
    .select(filter)
    .where('org_id', '=', orgId)
    .$call(orderedByCreation(page))
    .execute();

/** Returns those of the ids whose condition, at the same place, holds for a contact. */
export async function listMatches(
  db: Db,
  orgId: string,
  contactId: string,
  { ids, conditions }: { ids: string[]; conditions: Expression<SqlBool>[] },
): Promise<string[]> {
  const matches = conditions.map((condition, nth) => sql`case when ${condition} then ${ids[nth]}::text end`);
  const { rows } = await sql<{ ids: string[] }>`
    select array_remove(array[${sql.join(matches)}], null) as ids from contacts where org_id = ${orgId} and id = ${contactId}
  `.execute(db);
  return rows[0]?.ids ?? [];
}
