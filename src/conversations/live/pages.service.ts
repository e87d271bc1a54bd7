import type { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { DomainError, invalid } from '../../errors.ts';
import { NIL_UUID } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { historyItemOf } from '../history/service.ts';
import { findPositionOfAge, findTimeAfter, listEventsAfter } from './pages.queries.ts';
import { getHorizon, type OrgCursor } from './queries.ts';
import { orgEventId, orgPositionOf } from './rules.ts';
import type { EventPage, EventPageQuery } from './schema.ts';

const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** Whoever begins with the oldest events has a day to read past them. */
const REFUSED_AFTER_MS = (KEPT_DAYS + 1) * DAY_MS;
const DEFAULT_LIMIT = 50;
const UNKNOWN_CURSOR = 'The cursor is not from this list: omit it to begin with the oldest events';
const EXPIRED_CURSOR = `Events behind the cursor are older than ${KEPT_DAYS} days and not listed any more: omit the cursor to begin with the oldest that are, and read what is older from the histories of sessions`;

/**
 * Returns a page of an org's events, in the order of the stream: from the cursor, or from thirty days ago. Late commits
 * are behind all earlier cursors. Throws invalid for an unknown cursor, and gone if an event behind it is too old.
 */
export async function pageOfEvents(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { cursor, limit = DEFAULT_LIMIT, type }: EventPageQuery,
): Promise<z.output<typeof EventPage>> {
  const from = cursor ? await cursorOf(db, orgId, cursor) : await oldest(db, orgId);
  const { rows, last, hasMore } = await listEventsAfter(db, from, { types: type?.split(','), limit });
  const items = rows.map((row) => ({
    id: orgEventId(row),
    type: row.type,
    timestamp: row.created_at,
    organization_id: orgId,
    data: { ...historyItemOf(links, row), type: row.type, session_id: row.session_id },
  }));
  return { items, next: orgEventId(last ?? from.after), has_more: hasMore };
}

async function oldest(db: Db, orgId: string): Promise<OrgCursor> {
  const xid = await findPositionOfAge(db, orgId, KEPT_DAYS);
  return { orgId, after: { xid, session_id: NIL_UUID, seq: 0 } };
}

async function cursorOf(db: Db, orgId: string, cursor: string): Promise<OrgCursor> {
  const from = { orgId, after: orgPositionOf(cursor) };
  const { is_known } = await getHorizon(db, from.after.xid);
  if (!is_known) throw invalid(UNKNOWN_CURSOR, [{ path: 'query.cursor', message: UNKNOWN_CURSOR }]);
  const next = await findTimeAfter(db, from);
  if (next !== undefined && next.getTime() < Date.now() - REFUSED_AFTER_MS)
    throw new DomainError('gone', EXPIRED_CURSOR);
  return from;
}
