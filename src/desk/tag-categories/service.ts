import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { alreadyExists, conflict, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { tagKeyOf } from '../tags/rules.ts';
import {
  countCategories,
  deleteCategory,
  findIdOfName,
  insertCategory,
  lockCategoryNames,
  updateCategory,
} from './queries.ts';
import type { CreateTagCategory, UpdateTagCategory } from './schema.ts';

export { lockCategoryShared } from './queries.ts';

const MAX_CATEGORIES = 100;

/** Creates a category. Throws already_exists if its name is taken, and conflict if the org has the maximum number of them. */
export function createCategory(db: Db, orgId: string, { name, description }: CreateTagCategory) {
  return inTransaction(db, async (trx) => {
    await lockCategoryNames(trx, orgId);
    const category = await insertCategory(trx, {
      org_id: orgId,
      id: newId(),
      name_key: tagKeyOf(name),
      name,
      description,
    });
    if (category === undefined) throw nameTaken(await findIdOfName(trx, orgId, tagKeyOf(name)));
    if ((await countCategories(trx, orgId)) > MAX_CATEGORIES) {
      throw conflict(`An org has at most ${MAX_CATEGORIES} categories of tags: delete one that is not in use`);
    }
    return category;
  });
}

/** Changes a category. Throws notFound, and already_exists if the new name is taken. */
export function changeCategory(db: Db, orgId: string, id: string, { name, description }: UpdateTagCategory) {
  return inTransaction(db, async (trx) => {
    await lockCategoryNames(trx, orgId);
    if (name !== undefined) await assertNameFree(trx, orgId, tagKeyOf(name), id);
    const renamed = name === undefined ? {} : { name, name_key: tagKeyOf(name) };
    const category = await updateCategory(trx, orgId, id, { description, ...renamed });
    if (category === undefined) throw notFound('tag category');
    return category;
  });
}

/** Deletes a category. Its tags stay, without one. Throws notFound. */
export async function removeCategory(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteCategory(db, orgId, id))) throw notFound('tag category');
}

/** Throws already_exists if another category has the name. The names of the org's categories are locked. */
async function assertNameFree(trx: Trx, orgId: string, nameKey: string, id: string): Promise<void> {
  const owner = await findIdOfName(trx, orgId, nameKey);
  if (owner !== undefined && owner !== id) throw nameTaken(owner);
}

function nameTaken(id: string | undefined) {
  const message = 'name: another category of tags has this name: choose another one';
  return alreadyExists(message, { type: 'tag_category', id, field: 'name' });
}
