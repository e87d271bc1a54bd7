import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import type { UpdateTagCategory } from './schema.ts';

const COLUMNS = ['id', 'name', 'description', 'created_at', 'updated_at'] as const;

/** Locks the names of the org's categories. They can then be compared and counted. */
export async function lockCategoryNames(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `tag categories ${orgId}`);
}

/** Inserts the category. Returns undefined if another one has its name. */
export const insertCategory = (
  trx: Trx,
  category: { org_id: string; id: string; name_key: string; name: string; description: string | null },
) =>
  trx
    .insertInto('tag_categories')
    .values(category)
    .onConflict((oc) => oc.columns(['org_id', 'name_key']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();

export async function countCategories(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('tag_categories')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns all of the org's categories by name. */
export const listCategories = (db: Db, orgId: string) =>
  db.selectFrom('tag_categories').select(COLUMNS).where('org_id', '=', orgId).orderBy('name_key').execute();

/** Returns the id of the org's category with this name. */
export async function findIdOfName(db: Db, orgId: string, nameKey: string): Promise<string | undefined> {
  const category = await db
    .selectFrom('tag_categories')
    .select('id')
    .where('org_id', '=', orgId)
    .where('name_key', '=', nameKey)
    .executeTakeFirst();
  return category?.id;
}

/** Changes what is given. Returns undefined if there is no such category. */
export const updateCategory = (
  trx: Trx,
  orgId: string,
  id: string,
  change: UpdateTagCategory & { name_key?: string },
) =>
  trx
    .updateTable('tag_categories')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();

export async function deleteCategory(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('tag_categories')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns whether a category exists, and locks it against deletion until the transaction ends. */
export async function lockCategoryShared(trx: Trx, orgId: string, id: string): Promise<boolean> {
  const category = await trx
    .selectFrom('tag_categories')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return category !== undefined;
}
