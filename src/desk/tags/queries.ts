import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import { tagKeyOf } from './rules.ts';
import type { ListTags, UpsertTag } from './schema.ts';

/** Locks the creation of tags in the org. They can then be counted. */
export async function lockTagCreation(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `tags ${orgId}`);
}

export async function countTags(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('tags')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts the tag, or updates what is given of the tag with this name, its spelling included. */
export async function upsertTag(db: Db, orgId: string, tag: UpsertTag): Promise<void> {
  await db
    .insertInto('tags')
    .values({ org_id: orgId, tag_key: tagKeyOf(tag.tag_name), ...tag })
    .onConflict((oc) => oc.columns(['org_id', 'tag_key']).doUpdateSet({ ...tag, updated_at: sql<Date>`now()` }))
    .execute();
}

/** Returns which of these keys belong to tags. */
export async function listTagKeys(db: Db, orgId: string, keys: string[]): Promise<string[]> {
  const { rows } = await sql<{ tag_key: string }>`
    select tag_key from tags where org_id = ${orgId} and tag_key = any(${keys}::text[])
  `.execute(db);
  return rows.map(({ tag_key }) => tag_key);
}

/** Inserts tags that do not exist. */
export async function insertTags(
  trx: Trx,
  orgId: string,
  tags: { tag_key: string; tag_name: string }[],
): Promise<void> {
  if (tags.length === 0) return;
  await trx
    .insertInto('tags')
    .values(
      tags.map((tag) => ({
        org_id: orgId,
        ...tag,
        exclude_from_auto_tagging: false,
        description: null,
        category_id: null,
      })),
    )
    .onConflict((oc) => oc.columns(['org_id', 'tag_key']).doNothing())
    .execute();
}

export async function deleteTag(db: Db, orgId: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('tags')
    .where('org_id', '=', orgId)
    .where('tag_key', '=', tagKeyOf(name))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function lockTagKeysShared(trx: Trx, orgId: string, keys: string[]): Promise<string[]> {
  const tags = await trx
    .selectFrom('tags')
    .select('tag_key')
    .where('org_id', '=', orgId)
    .where('tag_key', 'in', keys)
    .orderBy('tag_key')
    .forKeyShare()
    .execute();
  return tags.map(({ tag_key }) => tag_key);
}

/** Returns the org's tags by name: all, or those of a category or of none. */
export function listTags(db: Db, orgId: string, { category_id }: ListTags) {
  return db
    .selectFrom('tags')
    .select(['tag_name', 'exclude_from_auto_tagging', 'description', 'category_id', 'created_at', 'updated_at'])
    .where('org_id', '=', orgId)
    .$if(category_id === 'none', (query) => query.where('category_id', 'is', null))
    .$call((query) =>
      category_id === undefined || category_id === 'none' ? query : query.where('category_id', '=', category_id),
    )
    .orderBy('tag_key')
    .execute();
}

/** Returns all of the org's tags with their keys, by name. */
export const listTagsWithKeys = (db: Db, orgId: string) =>
  db
    .selectFrom('tags')
    .select(['tag_key', 'tag_name', 'exclude_from_auto_tagging', 'description'])
    .where('org_id', '=', orgId)
    .orderBy('tag_key')
    .execute();

/** Lists the orgs with auto-tagging. */
export async function listOrgsWithAutoTagging(db: Db): Promise<string[]> {
  const orgs = await db.selectFrom('tag_settings').select('org_id').where('auto_tagging_enabled', '=', true).execute();
  return orgs.map(({ org_id }) => org_id);
}

/** Returns whether the AI may apply tags in the org. */
export async function isAutoTaggingOn(db: Db, orgId: string): Promise<boolean> {
  const settings = await db
    .selectFrom('tag_settings')
    .select('auto_tagging_enabled')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return settings?.auto_tagging_enabled ?? false;
}

export async function setAutoTagging(db: Db, orgId: string, isEnabled: boolean): Promise<void> {
  await db
    .insertInto('tag_settings')
    .values({ org_id: orgId, auto_tagging_enabled: isEnabled })
    .onConflict((oc) => oc.column('org_id').doUpdateSet({ auto_tagging_enabled: isEnabled }))
    .execute();
}
