import type { Db } from '../db/connect.ts';
import { invalid, notFound } from '../errors.ts';
import { NIL_UUID } from '../ids.ts';
import { findEndOfSession, type OrgPlace, readHorizon, type SessionPlace } from './live.queries.ts';
import { orgPositionOf, sessionPositionOf } from './live.rules.ts';

/** Where a session's stream begins: behind the event of this id, or now. Throws notFound, and invalid for an id that the session never had. */
export async function findSessionPlace(
  db: Db,
  orgId: string,
  sessionId: string,
  lastEventId: string | undefined,
): Promise<SessionPlace> {
  const end = await findEndOfSession(db, orgId, sessionId);
  if (end === undefined) throw notFound('session');
  if (!lastEventId) return { orgId, sessionId, after: end };
  const after = sessionPositionOf(lastEventId);
  if (after.seq > end.seq) throw unknownId();
  return { orgId, sessionId, after };
}

/** Where an org's stream begins: behind the event of this id, or now. Throws invalid for an id that no event can have had. */
export async function findOrgPlace(db: Db, orgId: string, lastEventId: string | undefined): Promise<OrgPlace> {
  const after = lastEventId ? orgPositionOf(lastEventId) : { xid: '0', session_id: NIL_UUID, seq: 0 };
  const { final_before, is_known } = await readHorizon(db, after.xid);
  if (!is_known) throw unknownId();
  return { orgId, after: lastEventId ? after : { ...after, xid: final_before } };
}

const unknownId = () =>
  invalid('Last-Event-ID is of no event of this stream: leave it out to begin with what happens from now on');
