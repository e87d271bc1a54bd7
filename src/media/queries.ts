import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { MediaTable } from './table.ts';

export type Media = Pick<Selectable<MediaTable>, 'org_id' | 'id' | 'key' | 'file_name' | 'mime_type' | 'size'>;

/** Inserts the row of a file, unless it has one. */
export async function insertMedia(db: Db, media: Media): Promise<void> {
  await db
    .insertInto('media')
    .values(media)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Inserts the rows of files as deleted, except of files that have rows. Returns the keys of the inserted ones. It waits for
 * the end of a transaction that has inserted such a row.
 */
export async function insertDeletedMedia(db: Db, files: Media[]): Promise<string[]> {
  if (files.length === 0) return [];
  const rows = await db
    .insertInto('media')
    .values(files.map((file) => ({ ...file, file_name: '', deleted_at: sql<Date>`now()` })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .execute();
  return rows.map(({ key }) => key);
}

/** How long a file may wait for whoever is to have it. Then it is deleted. */
const MAX_WAIT = sql`interval '1 hour'`;

/** Inserts the row of a file that nobody has yet: it is to be deleted, unless somebody keeps it before. */
export async function insertUnclaimedMedia(db: Db, media: Media): Promise<void> {
  await db
    .insertInto('media')
    .values({ ...media, deleted_at: sql<Date>`now() + ${MAX_WAIT}` })
    .execute();
}

/** The purge of deleted files does not meet a transaction that keeps one and takes no longer than this. */
const LONGEST_KEEP = sql`interval '5 minutes'`;

/** Keeps files that nobody had yet and that are not deleted within minutes. Returns how many. */
export async function keepUnclaimedMedia(trx: Trx, orgId: string, ids: string[]): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('media')
    .set({ deleted_at: null })
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', '>', sql<Date>`now() + ${LONGEST_KEEP}`)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Has files that nobody has kept deleted now. Returns their keys. It waits for the end of a transaction that keeps one. */
export async function giveUpUnclaimedMedia(db: Db, files: Pick<Media, 'org_id' | 'key'>[]): Promise<string[]> {
  const [first] = files;
  if (first === undefined) return [];
  const rows = await db
    .updateTable('media')
    .set({ deleted_at: sql<Date>`now()` })
    .where('org_id', '=', first.org_id)
    .where('key', '=', sql<string>`any(${files.map(({ key }) => key)}::text[])`)
    .where('deleted_at', 'is not', null)
    .returning('key')
    .execute();
  return rows.map(({ key }) => key);
}

/** Forgets files that another table has from now on, and that are not deleted within minutes. Returns how many. */
export async function forgetUnclaimedMedia(trx: Trx, orgId: string, ids: string[]): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('media')
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', '>', sql<Date>`now() + ${LONGEST_KEEP}`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Finds a file, unless it is deleted. */
export function findMedia(db: Db, orgId: string, id: string): Promise<Media | undefined> {
  return db
    .selectFrom('media')
    .select(['org_id', 'id', 'key', 'file_name', 'mime_type', 'size'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Lists the files, without the deleted ones. */
export function listMedia(db: Db, orgId: string, ids: string[]): Promise<Media[]> {
  return db
    .selectFrom('media')
    .select(['org_id', 'id', 'key', 'file_name', 'mime_type', 'size'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute();
}

/** Marks files as deleted and removes their names. Their links end with the commit of the transaction. */
export async function softDeleteMedia(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('media')
    .set({ deleted_at: sql<Date>`coalesce(deleted_at, now())`, file_name: '' })
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}

/** Lists deleted files of all orgs, for the purge of their bytes, with those that nobody kept in time. */
export const listDeletedMedia = (db: Db, after: string, limit: number) =>
  db
    .selectFrom('media')
    .select('key')
    .where('deleted_at', '<=', sql<Date>`now()`)
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
    .execute();

/** Deletes the rows of deleted files. Needs no org id: no other org has a file of the same key. */
export async function deleteMediaRows(db: Db, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  await db.deleteFrom('media').where('key', 'in', keys).where('deleted_at', 'is not', null).execute();
}
