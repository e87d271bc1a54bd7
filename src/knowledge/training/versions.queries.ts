import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { newId } from '../../ids.ts';

const COLUMNS = ['id', 'version', 'title', 'content', 'published_key_id', 'created_at'] as const;

/**
 * Adds a locked item's text as its next version. Adds none for a draft, or where the last version has the same text. Its
 * time is that of the clock: transactions that began at once have the lock one after the other.
 */
export async function insertVersion(trx: Trx, orgId: string, trainingId: string, keyId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with added as (
      insert into training_versions (org_id, training_id, id, version, title, content, published_key_id, created_at)
      select org_id, id, ${newId()}, version + 1, title, content, ${keyId}, clock_timestamp() from training_items as item
      where org_id = ${orgId} and id = ${trainingId} and not is_draft and not exists (
        select from training_versions as last where last.org_id = item.org_id and last.training_id = item.id
          and last.version = item.version and last.title = item.title and last.content = item.content)
      returning org_id, training_id, version, created_at
    )
    update training_items as item set version = added.version, published_at = added.created_at
    from added where item.org_id = added.org_id and item.id = added.training_id
  `.execute(trx);
  return numAffectedRows > 0n;
}

/** Deletes the versions of an item behind its newest ones. */
export async function deleteOldVersions(trx: Trx, orgId: string, trainingId: string, kept: number): Promise<void> {
  await sql`
    delete from training_versions where org_id = ${orgId} and training_id = ${trainingId} and version <= (
      select version - ${kept}::integer from training_items where org_id = ${orgId} and id = ${trainingId})
  `.execute(trx);
}

/** Lists the kept versions of an item, oldest first: the rows of a page, plus one more if there is one. */
export const listVersions = (db: Db, orgId: string, trainingId: string, page: PageRequest) =>
  db
    .selectFrom('training_versions')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('training_id', '=', trainingId)
    .$call(orderedByCreation(page))
    .execute();

export const findVersion = (db: Db, orgId: string, trainingId: string, version: number) =>
  db
    .selectFrom('training_versions')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('training_id', '=', trainingId)
    .where('version', '=', version)
    .executeTakeFirst();
