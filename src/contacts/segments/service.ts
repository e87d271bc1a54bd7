import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { assertSavable, prepareFilter } from '../filters/service.ts';
import {
  deleteSegment,
  findSegment,
  insertSegment,
  listMatches,
  listSegments,
  lockSegments,
  updateSegment,
} from './queries.ts';
import type { CreateSegment, ListSegments, UpdateSegment } from './schema.ts';

const SEGMENTS_PER_READ = 100;

/** Saves a filter under a name. Throws invalid if the filter names an unknown segment. */
export async function createSegment(db: Db, orgId: string, { name, filter }: CreateSegment) {
  await assertSavable(db, orgId, filter, { path: 'body.filter' });
  return insertSegment(db, { org_id: orgId, id: newId(), name, filter: toJson(filter) });
}

export async function getSegment(db: Db, orgId: string, id: string) {
  const segment = await findSegment(db, orgId, id);
  if (segment === undefined) throw notFound('segment');
  return segment;
}

/** Changes a segment. Throws notFound, and invalid if the segment would contain itself. */
export function changeSegment(db: Db, orgId: string, id: string, { name, filter }: UpdateSegment) {
  return inTransaction(db, async (trx) => {
    await lockSegments(trx, orgId);
    await getSegment(trx, orgId, id);
    if (filter !== undefined) await assertSavable(trx, orgId, filter, { path: 'body.filter', segmentId: id });
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(filter === undefined ? {} : { filter: toJson(filter) }),
    };
    const segment = await updateSegment(trx, orgId, id, changes);
    if (segment === undefined) throw notFound('segment');
    if (filter !== undefined) await announceChange(trx, orgId);
    return segment;
  });
}

/** Deletes a segment. From now on it matches nobody in filters naming it. Throws notFound. */
export const removeSegment = (db: Db, orgId: string, id: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (!(await deleteSegment(trx, orgId, id))) throw notFound('segment');
    await announceChange(trx, orgId);
  });

/** Announces that a segment has other contacts: other SLA policies may apply to their sessions. */
const announceChange = (trx: Trx, orgId: string): Promise<void> =>
  announce(trx, orgId, [
    { type: 'sla-assignments-changed', subject_id: orgId, payload: { after: null, by: 'segments' } },
  ]);

/** Returns a page of the org's segments, oldest first. */
export const pageOfSegments = (db: Db, orgId: string, query: ListSegments) =>
  pageOf(db, query, (page) => listSegments(db, orgId, page));

const toJson = (filter: object | null) => (filter === null ? null : JSON.stringify(filter));

/** Returns those of the segments that a contact belongs to. */
export async function listSegmentsOf(
  db: Db,
  orgId: string,
  contactId: string,
  segmentIds: string[],
): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < segmentIds.length; at += SEGMENTS_PER_READ) {
    const ids = segmentIds.slice(at, at + SEGMENTS_PER_READ);
    const compile = await prepareFilter(db, orgId, {
      or: ids.map((segment_id) => ({ and: [{ type: 'contact_belongs_to_segment', segment_id }] })),
    });
    found.push(...(await listMatches(db, orgId, contactId, { ids, conditions: compile('probes') })));
  }
  return found;
}
