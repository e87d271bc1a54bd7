import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { announce } from '../../outbox/announcing.ts';
import { lockCategoryShared } from '../tag-categories/service.ts';
import {
  countTags,
  deleteTag,
  insertTags,
  listTagKeys,
  lockTagCreation,
  lockTagKeysShared,
  upsertTag,
} from './queries.ts';
import { tagKeyOf } from './rules.ts';
import { TagName, type UpsertTag } from './schema.ts';

export { isAutoTaggingOn, listOrgsWithAutoTagging, listTagsWithKeys } from './queries.ts';

const MAX_TAGS = 1000;

/**
 * Creates the tag, or updates the tag with this name in any spelling. Throws invalid for a category unknown to the org,
 * and conflict if the org has the maximum number of tags.
 */
export function saveTag(db: Db, orgId: string, tag: UpsertTag): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockTagCreation(trx, orgId);
    const { category_id = null } = tag;
    if (category_id !== null && !(await lockCategoryShared(trx, orgId, category_id))) {
      throw refused('category_id', 'must be the id of a tag category: GET /tags/categories lists them');
    }
    await upsertTag(trx, orgId, tag);
    if ((await countTags(trx, orgId)) > MAX_TAGS) {
      throw conflict(`An org has at most ${MAX_TAGS} tags: delete one that is not in use`);
    }
  });
}

/**
 * Creates the tags that the org does not have, as long as it may have more, and returns the keys of those of the names that
 * it has then. Names too long for a tag are left out.
 */
export async function addTags(trx: Trx, orgId: string, names: string[]): Promise<Set<string>> {
  const nameOf = new Map(names.filter((name) => TagName.safeParse(name).success).map((name) => [tagKeyOf(name), name]));
  const keys = [...nameOf.keys()];
  const existing = new Set(await listTagKeys(trx, orgId, keys));
  if (existing.size === keys.length) return existing;
  await lockTagCreation(trx, orgId);
  const room = Math.max(0, MAX_TAGS - (await countTags(trx, orgId)));
  const missing = keys.filter((key) => !existing.has(key)).slice(0, room);
  await insertTags(
    trx,
    orgId,
    missing.map((tag_key) => ({ tag_key, tag_name: nameOf.get(tag_key) ?? tag_key })),
  );
  return new Set([...existing, ...missing]);
}

/**
 * Returns the keys of the tags with these names in any spelling, and the names unknown to the org. The tags cannot be
 * deleted until the transaction ends.
 */
export async function lockTagsShared(
  trx: Trx,
  orgId: string,
  names: string[],
): Promise<{ keys: string[]; unknown: string[] }> {
  const keys = await lockTagKeysShared(trx, orgId, names.map(tagKeyOf));
  return { keys, unknown: names.filter((name) => !keys.includes(tagKeyOf(name))) };
}

/** Deletes a tag. Throws notFound. */
export const removeTag = (db: Db, orgId: string, name: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await deleteTag(trx, orgId, name))) throw notFound('tag');
    await announce(trx, orgId, [
      { type: 'sla-assignments-changed', subject_id: orgId, payload: { after: null, by: 'tags' } },
    ]);
  });

/** A tag with the key shared by all spellings of its name. */
export interface KeyedTag {
  tag_key: string;
  tag_name: string;
  exclude_from_auto_tagging: boolean;
  description: string | null;
}
