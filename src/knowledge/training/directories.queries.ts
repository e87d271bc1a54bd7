import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { CreateDirectory, UpdateDirectory } from './directories.schema.ts';

const COLUMNS = ['id', 'name', 'created_at', 'updated_at'] as const;

export function insertDirectory(db: Db, orgId: string, id: string, directory: CreateDirectory) {
  return db
    .insertInto('training_directories')
    .values({ org_id: orgId, id, ...directory })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export function updateDirectory(db: Db, orgId: string, id: string, changes: UpdateDirectory) {
  return db
    .updateTable('training_directories')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Deletes a directory. Its items are then in no directory. */
export async function deleteDirectory(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('training_directories')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether the org has the directory. Locks it until the transaction ends. */
export async function lockDirectory(trx: Trx, orgId: string, id: string): Promise<boolean> {
  const directory = await trx
    .selectFrom('training_directories')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return directory !== undefined;
}

/** Returns a page of the org's directories by creation. */
export const listDirectories = (db: Db, orgId: string, page: PageRequest) =>
  db
    .selectFrom('training_directories')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .$call(orderedByCreation(page))
    .execute();
