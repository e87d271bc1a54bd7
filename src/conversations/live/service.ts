import type { Db } from '../../db/connect.ts';
import { invalid, notFound } from '../../errors.ts';
import { NIL_UUID } from '../../ids.ts';
import { findLastSessionPosition, getHorizon, type OrgCursor, type SessionCursor } from './queries.ts';
import { orgPositionOf, sessionPositionOf } from './rules.ts';

/**
 * Returns the start of a session's stream: after the event with this id, or now. Throws invalid for an id beyond the
 * session's last event.
 */
export async function getSessionCursor(
  db: Db,
  orgId: string,
  sessionId: string,
  lastEventId: string | undefined,
): Promise<SessionCursor> {
  const end = await findLastSessionPosition(db, orgId, sessionId);
  if (end === undefined) throw notFound('session');
  if (!lastEventId) return { orgId, sessionId, after: end };
  const after = sessionPositionOf(lastEventId);
  if (after.seq > end.seq) throw unknownEventId();
  return { orgId, sessionId, after };
}

/**
 * Returns the start of an org's stream: after the event with this id, or now. Throws invalid for an id no event can
 * have had.
 */
export async function getOrgCursor(db: Db, orgId: string, lastEventId: string | undefined): Promise<OrgCursor> {
  const after = lastEventId ? orgPositionOf(lastEventId) : { xid: '0', session_id: NIL_UUID, seq: 0 };
  const { final_before, is_known } = await getHorizon(db, after.xid);
  if (!is_known) throw unknownEventId();
  return { orgId, after: lastEventId ? after : { ...after, xid: final_before } };
}

const unknownEventId = () => invalid('Last-Event-ID is not from this stream: omit it to start with new events');
