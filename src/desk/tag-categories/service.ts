import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { tagKeyOf } from '../tags/rules.ts';
import {
  countCategories,
  deleteCategory,
  insertCategory,
  isNameTaken,
  lockCategoryNames,
  updateCategory,
} from './queries.ts';
import type { CreateTagCategory, UpdateTagCategory } from './schema.ts';

export { lockCategoryShared } from './queries.ts';

const MAX_CATEGORIES = 100;

const nameTaken = () => conflict('name: another category of tags has this name: choose another one');

/** Creates a category. Throws conflict if its name is taken, or if the org has the maximum number of categories. */
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
    if (category === undefined) throw nameTaken();
    if ((await countCategories(trx, orgId)) > MAX_CATEGORIES) {
      throw conflict(`An org has at most ${MAX_CATEGORIES} categories of tags: delete one that is not in use`);
    }
    return category;
  });
}

/** Changes a category. Throws notFound, and conflict if the new name is taken. */
export function changeCategory(db: Db, orgId: string, id: string, { name, description }: UpdateTagCategory) {
  return inTransaction(db, async (trx) => {
    await lockCategoryNames(trx, orgId);
    if (name !== undefined && (await isNameTaken(trx, orgId, id, tagKeyOf(name)))) throw nameTaken();
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
