import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { deleteDirectory, insertDirectory, listDirectories, updateDirectory } from './directories.queries.ts';
import type { CreateDirectory, ListDirectories, UpdateDirectory } from './directories.schema.ts';

export const createDirectory = (db: Db, orgId: string, directory: CreateDirectory) =>
  insertDirectory(db, orgId, newId(), directory);

/** Changes the given fields. Throws notFound. */
export async function changeDirectory(db: Db, orgId: string, id: string, changes: UpdateDirectory) {
  const directory = await updateDirectory(db, orgId, id, changes);
  if (directory === undefined) throw notFound('directory');
  return directory;
}

/** Deletes a directory. Its items are kept, without a directory. Throws notFound. */
export async function removeDirectory(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteDirectory(db, orgId, id))) throw notFound('directory');
}

/** Returns a page of the org's directories, oldest first. */
export const pageOfDirectories = (db: Db, orgId: string, query: ListDirectories) =>
  pageOf(db, query, (page) => listDirectories(db, orgId, page));
