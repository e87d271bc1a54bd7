import { listAnsweringSessions } from '../ai/turns/service.ts';
import { isContactBlocked } from '../contacts/blocklist/service.ts';
import { dataLimitViolationOf } from '../contacts/saving/merge.rules.ts';
import { noteResolutionByCustomer } from '../conversations/ai/service.ts';
import { applySessionUpdate, handOff } from '../conversations/sessions/actions.service.ts';
import { lockSession } from '../conversations/sessions/service.ts';
import { openVisitorSession, recordCheckpoint } from '../conversations/sessions/visitors.service.ts';
import { submitScore } from '../csat/service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { decodeCursor, toPage } from '../db/cursor.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound, refused } from '../errors.ts';
import { newId } from '../ids.ts';
import { findSeqOf, hasPublicId, insertMessage, isEventId } from './messages.queries.ts';
import type { Checkpoint, ListWidgetSessions, ReadWidgetSession, SubmitCsat } from './schema.ts';
import { findSession, listSessions, mergeAttributes, type SessionRow, updateReadPlace } from './sessions.queries.ts';
import type { Visitor } from './visitors.service.ts';

const SESSIONS_PER_PAGE = 20;

/**
 * Returns a page of the visitor's sessions, newest first. A client may pass the `next` of a page as the offset. Throws
 * invalid for a malformed cursor.
 */
export async function pageOfSessions(db: Db, visitor: Visitor, { filters, cursor, offset }: ListWidgetSessions) {
  const next = cursor ?? (typeof offset === 'string' ? offset : undefined);
  const rows = await listSessions(db, visitor, {
    externalId: filters?.external_id ?? undefined,
    after: next === undefined ? undefined : decodeCursor(next),
    offset: typeof offset === 'number' ? offset : 0,
    limit: SESSIONS_PER_PAGE,
  });
  const page = toPage(rows, SESSIONS_PER_PAGE, ({ created_at }) => created_at);
  const answering = await answeringOf(db, visitor, page.items);
  return { ...page, items: page.items.map((row) => widgetSessionOf(row, answering)) };
}

/** Returns the session in the widget's format. Another visitor's session throws notFound as well. */
export async function getWidgetSession(db: Db, visitor: Visitor, id: string) {
  const session = await findSession(db, visitor, id);
  if (session === undefined) throw notFound('session');
  return widgetSessionOf(session, await answeringOf(db, visitor, [session]));
}

/** Returns the ids of those sessions with a turn of the AI under way. */
const answeringOf = async (db: Db, { orgId }: Visitor, sessions: { id: string }[]): Promise<Set<string>> =>
  new Set(
    await listAnsweringSessions(
      db,
      orgId,
      sessions.map(({ id }) => id),
    ),
  );

/** Opens a session of the visitor. Throws invalid for too much data. */
export function createWidgetSession(db: Db, visitor: Visitor, customData: Record<string, string>) {
  return inTransaction(db, async (trx) => {
    const { orgId, contactId, isVerified, language } = visitor;
    const id = await openVisitorSession(trx, orgId, { contactId, isVerified, language, customData });
    await mergeAttributes(trx, visitor, id, customData);
    return getWidgetSession(trx, visitor, id);
  });
}

/**
 * Locks the visitor's session until the transaction ends and returns it. Throws notFound, also for another visitor's
 * session.
 */
export async function lockWidgetSession(trx: Trx, visitor: Visitor, id: string) {
  await getWidgetSession(trx, visitor, id);
  return lockSession(trx, visitor.orgId, id);
}

export type LockedWidgetSession = Awaited<ReturnType<typeof lockWidgetSession>>;

/** Merges data into a locked session. Throws invalid for too much data. */
export async function mergeCustomData(
  trx: Trx,
  visitor: Visitor,
  sessionId: string,
  data: Record<string, string>,
): Promise<void> {
  const excess = dataLimitViolationOf(await mergeAttributes(trx, visitor, sessionId, data));
  if (excess !== undefined) throw refused('custom_data', excess);
  const change = { custom_data: data, reflect_status_change_for_integration: true };
  await applySessionUpdate(trx, visitor.orgId, sessionId, change);
}

/**
 * Closes the visitor's session as resolved. An already resolved one stays unchanged. Throws notFound, and conflict for
 * a blocked contact.
 */
export function resolveSession(db: Db, visitor: Visitor, id: string) {
  return inTransaction(db, async (trx) => {
    const session = await lockWidgetSession(trx, visitor, id);
    await assertNotBlocked(trx, visitor);
    const change = { status: 'closed_resolved' as const, reflect_status_change_for_integration: true };
    await noteResolutionByCustomer(trx, visitor.orgId, session);
    await applySessionUpdate(trx, visitor.orgId, id, change);
    return getWidgetSession(trx, visitor, id);
  });
}

/**
 * Hands the visitor's session off to people, once. Throws notFound, conflict for a blocked contact, and conflict for a
 * closed session.
 */
export function requestPerson(db: Db, visitor: Visitor, id: string) {
  return inTransaction(db, async (trx) => {
    const { status } = await lockWidgetSession(trx, visitor, id);
    await assertNotBlocked(trx, visitor);
    if (status !== 'open') throw conflict('The session is closed: a new message reopens it');
    await handOff(trx, visitor.orgId, id, { reason: 'The customer asked for a person' });
    return getWidgetSession(trx, visitor, id);
  });
}

/** Notes up to which item the visitor has read a session. Throws notFound, and invalid for the id of no item in it. */
export async function markRead(db: Db, visitor: Visitor, { session_id, up_to }: ReadWidgetSession): Promise<void> {
  await getWidgetSession(db, visitor, session_id);
  const seq = await findSeqOf(db, visitor.orgId, session_id, up_to);
  if (seq === undefined) throw refused('up_to', 'must be the publicId of an item of this session’s history');
  await updateReadPlace(db, visitor, session_id, seq);
}

/** Stores a checkpoint of the widget in a session. Throws notFound. */
export function saveCheckpoint(db: Db, visitor: Visitor, { session_id, payload }: Checkpoint): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockWidgetSession(trx, visitor, session_id);
    await recordCheckpoint(trx, visitor.orgId, session_id, payload);
  });
}

/**
 * Scores the latest resolution of the visitor's session. The event's public id is the widget's uuid, unless another
 * event of the session has it. Throws the same errors as submitScore.
 */
export function submitSessionScore(
  db: Db,
  visitor: Visitor,
  { session_id, score, feedback, system_message_uuid }: SubmitCsat,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockWidgetSession(trx, visitor, session_id);
    await assertNotBlocked(trx, visitor);
    const scored = { session_id, score, comment: feedback };
    const uuid = await freeUuidOf(trx, visitor.orgId, session_id, system_message_uuid);
    const id = uuid === undefined || (await isEventId(trx, visitor.orgId, uuid)) ? newId() : uuid;
    const { id: stored } = await submitScore(trx, visitor.orgId, scored, id);
    if (uuid !== undefined && uuid !== id && stored === id)
      await insertMessage(trx, { org_id: visitor.orgId, session_id, uuid, message_id: id });
  });
}

/** Returns the uuid unless an event of the locked session has it as its public id. */
async function freeUuidOf(trx: Trx, orgId: string, sessionId: string, uuid: string | null | undefined) {
  const isFree = uuid && !(await hasPublicId(trx, orgId, sessionId, uuid));
  return isFree ? uuid : undefined;
}

/** Throws conflict for a blocked contact: such a visitor may only send messages. */
async function assertNotBlocked(trx: Trx, { orgId, contactId }: Visitor): Promise<void> {
  if (await isContactBlocked(trx, orgId, contactId)) throw conflict('Only messages are accepted here');
}

/** The AI has a session while a turn is under way, or its message is the last. Clients lock their input meanwhile. */
function assigneeKindOf({ id, assignee_id, handoff, last_sender }: SessionRow, answering: ReadonlySet<string>) {
  if (assignee_id !== null) return 'human' as const;
  return handoff === null && (answering.has(id) || last_sender === 'ai') ? ('ai' as const) : ('none' as const);
}

/** Returns the fields of a session meant for its visitor, without internal ones such as its custom data. */
const widgetSessionOf = (row: SessionRow, answering: ReadonlySet<string>) => ({
  id: row.id,
  ticketNumber: row.ticket_number,
  title: null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  isHandedOff: row.handoff !== null,
  isOpened: row.status === 'open',
  assignee: {
    kind: assigneeKindOf(row, answering),
    name: row.assignee_name,
    avatarUrl: null,
  },
  channel: row.channel,
  isVerified: row.verified === true,
  lastMessage: row.last_message,
  modeId: null,
  latestStateCheckpointPayload: row.checkpoint,
  sessionAttributes: row.attributes ?? {},
  unread: row.unread,
});
