import type { Db } from '../../db/connect.ts';
import { changeSettings, readSettings } from '../../orgs/service.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { clearCategories } from './queries.ts';

/** Returns the names of the org's categories. */
export async function getCategories(db: Db, orgId: string) {
  const { insight_categories } = await readSettings(db, orgId);
  return { categories: insight_categories ?? [] };
}

/** Replaces the org's categories. */
export async function replaceCategories(db: Db, orgId: string, categories: string[]) {
  await changeSettings(db, orgId, { insight_categories: categories });
  return { categories };
}

/** Reaction to other categories: insights of a deleted one have none. */
export const dropGoneCategories: Reaction<'insight-categories-changed'> = async (trx, orgId) => {
  const { categories } = await getCategories(trx, orgId);
  await clearCategories(trx, orgId, categories);
};
