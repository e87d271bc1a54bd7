import { isAutopilotOn } from '../../autopilot/service.ts';
import { blockedAmong } from '../../contacts/blocklist/service.ts';
import { lockContact } from '../../contacts/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOfRange } from '../../db/ranges.ts';
import { inTransaction, notifyAfterCommit } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import { currentActor } from '../../processes/current-work.ts';
import { SYSTEM } from '../../schemas/actor.ts';
import { assertUnchanged } from '../../schemas/if-match.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { announceWithState } from '../announcements.service.ts';
import { changedHint, LIVE_CHANNEL } from '../live/rules.ts';
import {
  findSession,
  findSessionForUpdate,
  findSessionOfMessage,
  insertSessions,
  type LockedSession,
  listSessions,
  type Reader,
  updateHasSla,
  updateSlaTarget,
} from '../queries.ts';
import type { CreateSession, ListSessions } from './schema.ts';

export { listTicketNumbers, updateHasSla } from '../queries.ts';

/**
 * Opens a session with one of the org's contacts, or with nobody yet. Throws invalid for a contact unknown to the org.
 */
export function createSession(
  db: Db,
  orgId: string,
  { contact_id, channel, verified = null }: CreateSession,
): Promise<{ id: string }> {
  if (channel.type === 'web_voice')
    throw refused('channel.type', 'web_voice is opened by a call of the voice provider: PUT /integrations/voice');
  return inTransaction(db, async (trx) => {
    const contactId = contact_id === undefined ? null : await lockContact(trx, orgId, contact_id);
    if (contactId === undefined) throw refused('contact_id', 'must be the id of a contact: GET /contacts lists them');
    return openSession(trx, orgId, { contactId, channel: channel.type, verified });
  });
}

interface SessionScope {
  contactId: string | null;
  channel: SessionChannel;
}

export interface NewSession extends SessionScope {
  verified?: boolean | null;
  /** See `relayed_side` of SessionsTable. */
  relayedSide?: 'customer' | 'agents';
  assistMode?: boolean;
  /** Of its first message, if the session opens with it. */
  language?: string | undefined;
}

/**
 * Opens a session with one of the org's contacts. A blocked contact's session is not announced, so it triggers nothing.
 */
export async function openSession(trx: Trx, orgId: string, session: NewSession): Promise<{ id: string }> {
  const [opened] = await openSessions(trx, orgId, session.channel, [session]);
  if (opened === undefined) throw new Error('A session was not opened');
  return { id: opened.id };
}

export interface OpenedSession {
  id: string;
  isBlocked: boolean;
}

/** Opens sessions on a channel like openSession, and returns them in order, with whether their contacts are blocked. */
export async function openSessions(
  trx: Trx,
  orgId: string,
  channel: SessionChannel,
  sessions: Omit<NewSession, 'channel'>[],
): Promise<OpenedSession[]> {
  const ai_state = (await isAutopilotOn(trx, orgId, channel)) ? 'on' : 'off';
  const rows = sessions.map(({ contactId, verified, relayedSide, assistMode, language }) => ({
    id: newId(),
    contact_id: contactId,
    channel,
    verified,
    relayed_side: relayedSide,
    assist_mode: assistMode,
    ai_state: ai_state as 'on' | 'off',
    language,
  }));
  await insertSessions(trx, orgId, rows, currentActor() ?? SYSTEM);
  const blocked = await blockedAmong(
    trx,
    orgId,
    rows.flatMap(({ contact_id }) => contact_id ?? []),
  );
  const opened = rows.map(({ id, contact_id }) => ({ id, isBlocked: contact_id !== null && blocked.has(contact_id) }));
  const announced = opened.filter(({ isBlocked }) => !isBlocked);
  await announceWithState(
    trx,
    orgId,
    announced.map(({ id }) => ({ type: 'ticket-created', subject_id: id, payload: {} })),
  );
  return opened;
}

/** Says of sessions whether an SLA policy is assigned to them. The caller holds their locks. */
export const setHasSla = (trx: Trx, orgId: string, ids: string[], hasSla: boolean): Promise<void> =>
  updateHasSla(trx, orgId, ids, hasSla);

/** Tells the streams of inboxes of a change of a session that its history does not tell. */
export const announceRowChanged = (trx: Trx, orgId: string, sessionId: string): void =>
  notifyAfterCommit(trx, LIVE_CHANNEL, changedHint({ orgId, sessionId }));

/** Sets the target of a locked session's SLA clocks that is due next. */
export const setSlaTarget = updateSlaTarget;
export { NO_TARGET } from '../queries.ts';

/** A session whose row is locked. */
export type SessionRow = LockedSession;

/** Returns a session as a member, or a program, sees it. Throws notFound. */
export async function getSession(db: Db, orgId: string, id: string, memberId: number | null = null) {
  const session = await findSession(db, orgId, id, memberId);
  if (session === undefined) throw notFound('session');
  return session;
}

/** Locks the session until the transaction ends and returns it. Throws notFound. */
export async function lockSession(trx: Trx, orgId: string, id: string): Promise<LockedSession> {
  const session = await findSessionForUpdate(trx, orgId, id);
  if (session === undefined) throw notFound('session');
  return session;
}

interface SeenSession {
  id: string;
  /** The session's `updated_at` as the caller has seen it, with or without quotation marks, or `*`. */
  ifMatch: string | undefined;
}

/** Changes a session if it is as the caller has seen it. Throws notFound, and changed if it is not. */
export function ifUnchanged(
  db: Db,
  orgId: string,
  { id, ifMatch }: SeenSession,
  change: (connection: Db) => Promise<void>,
): Promise<void> {
  if (ifMatch === undefined || ifMatch === '*') return change(db);
  return inTransaction(db, async (trx) => {
    const { updated_at } = await lockSession(trx, orgId, id);
    assertUnchanged('session', updated_at, ifMatch);
    return change(trx);
  });
}

/** Returns a page of the org's sessions by creation, or by update on request. */
export const pageOfSessions = (db: Db, orgId: string, query: ListSessions & Reader) =>
  pageOfRange(db, query, (place) => listSessions(db, orgId, query, place));

/**
 * Locks the org's open session with this id until the transaction ends and returns it. The id may be any text. Throws
 * notFound, and conflict for a session with another contact, on another channel, or closed.
 */
export async function lockOpenSession(
  trx: Trx,
  orgId: string,
  { sessionId, contactId, channel }: SessionScope & { sessionId: string },
): Promise<{ id: string }> {
  const session = isUuid(sessionId) ? await findSessionForUpdate(trx, orgId, sessionId) : undefined;
  if (session === undefined) throw notFound('session');
  if (session.contact_id !== contactId) throw conflict('session_id: the session is with another contact');
  if (session.channel !== channel) {
    throw conflict(`session_id: the session is on the channel ${session.channel}, not ${channel}`);
  }
  if (session.status !== 'open') throw conflict(`session_id: the session is ${session.status}`);
  return { id: session.id };
}

/** Returns the session of a message of the org. */
export async function getSessionOfMessage(db: Db, orgId: string, messageId: string): Promise<{ id: string }> {
  const session = await findSessionOfMessage(db, orgId, messageId);
  if (session === undefined) throw notFound('message');
  return session;
}
