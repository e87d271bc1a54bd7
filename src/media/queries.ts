import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { MediaTable } from './table.ts';

export type Media = Pick<Selectable<MediaTable>, 'org_id' | 'id' | 'key' | 'file_name' | 'mime_type' | 'size'>;

export async function insertMedia(db: Db, media: Media): Promise<void> {
  await db.insertInto('media').values(media).execute();
}

/** The file, unless it is deleted. */
export function findMedia(db: Db, orgId: string, id: string): Promise<Media | undefined> {
  return db
    .selectFrom('media')
    .select(['org_id', 'id', 'key', 'file_name', 'mime_type', 'size'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Marks the file as deleted, and gives the key of its bytes; undefined where there is no such row. */
export async function markMediaDeleted(db: Db, orgId: string, id: string): Promise<string | undefined> {
  const row = await db
    .updateTable('media')
    .set({ deleted_at: sql<Date>`coalesce(deleted_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('key')
    .executeTakeFirst();
  return row?.key;
}

export async function deleteMediaRow(db: Db, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('media').where('org_id', '=', orgId).where('id', '=', id).execute();
}
