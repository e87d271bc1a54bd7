import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { assertSavable } from '../filters/condition.ts';
import { deleteSegment, findSegment, insertSegment, listSegments, lockSegments, updateSegment } from './queries.ts';
import type { CreateSegment, ListSegments, UpdateSegment } from './schema.ts';

/** Names a filter. Throws invalid where it names a segment that the org does not have. */
export async function createSegment(db: Db, orgId: string, { name, filter }: CreateSegment) {
  await assertSavable(db, orgId, filter, 'body.filter');
  return insertSegment(db, { org_id: orgId, id: newId(), name, filter: toJson(filter) });
}

/** Throws notFound. */
export async function getSegment(db: Db, orgId: string, id: string) {
  const segment = await findSegment(db, orgId, id);
  if (segment === undefined) throw notFound('segment');
  return segment;
}

/** Throws notFound, and invalid where the segment would contain itself. */
export function changeSegment(db: Db, orgId: string, id: string, { name, filter }: UpdateSegment) {
  return inTransaction(db, async (trx) => {
    await lockSegments(trx, orgId);
    await getSegment(trx, orgId, id);
    if (filter !== undefined) await assertSavable(trx, orgId, filter, 'body.filter', id.toLowerCase());
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(filter === undefined ? {} : { filter: toJson(filter) }),
    };
    const segment = await updateSegment(trx, orgId, id, changes);
    if (segment === undefined) throw notFound('segment');
    return segment;
  });
}

/** Filters that name the segment match nobody by it from now on. Throws notFound. */
export async function removeSegment(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteSegment(db, orgId, id))) throw notFound('segment');
}

/** A page of the org's segments, oldest first. */
export const pageOfSegments = (db: Db, orgId: string, query: ListSegments) =>
  pageOf(db, query, (place) => listSegments(db, orgId, place));

const toJson = (filter: object | null) => (filter === null ? null : JSON.stringify(filter));
