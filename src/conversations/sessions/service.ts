import { isAutopilotOn } from '../../autopilot/service.ts';
import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { lockContact } from '../../contacts/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOfRange } from '../../db/ranges.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { announceWithState } from '../announcements.service.ts';
import {
  findSession,
  findSessionForUpdate,
  findSessionOfMessage,
  insertSession,
  type LockedSession,
  listSessions,
} from '../queries.ts';
import type { CreateSession, ListSessions } from './schema.ts';

export { updateHasSla } from '../queries.ts';

/**
 * Opens a session with one of the org's contacts, or with nobody yet. Throws invalid for a contact unknown to the org.
 */
export function createSession(
  db: Db,
  orgId: string,
  { contact_id, channel, verified = null }: CreateSession,
): Promise<{ id: string }> {
  return inTransaction(db, async (trx) => {
    if (contact_id !== undefined && !(await lockContact(trx, orgId, contact_id))) {
      throw refused('contact_id', 'must be the id of a contact: GET /contacts lists them');
    }
    return openSession(trx, orgId, { contactId: contact_id ?? null, channel: channel.type, verified });
  });
}

interface SessionScope {
  contactId: string | null;
  channel: SessionChannel;
}

interface NewSession extends SessionScope {
  verified?: boolean | null;
  /** See `relayed_side` of SessionsTable. */
  relayedSide?: 'customer' | 'agents';
  assistMode?: boolean;
}

/**
 * Opens a session with one of the org's contacts. A blocked contact's session is not announced, so it triggers nothing.
 */
export async function openSession(
  trx: Trx,
  orgId: string,
  { contactId, channel, verified, relayedSide, assistMode }: NewSession,
): Promise<{ id: string }> {
  const id = newId();
  await insertSession(trx, {
    org_id: orgId,
    id,
    contact_id: contactId,
    channel,
    verified,
    relayed_side: relayedSide,
    assist_mode: assistMode,
    ai_state: (await isAutopilotOn(trx, orgId, channel)) ? 'on' : 'off',
  });
  if (!(await isContactBlocked(trx, orgId, contactId)))
    await announceWithState(trx, orgId, [{ type: 'ticket-created', subject_id: id, payload: {} }]);
  return { id };
}

/** A session whose row is locked. */
export type SessionRow = LockedSession;

export async function getSession(db: Db, orgId: string, id: string) {
  const session = await findSession(db, orgId, id);
  if (session === undefined) throw notFound('session');
  return session;
}

/** Locks the session until the transaction ends and returns it. Throws notFound. */
export async function lockSession(trx: Trx, orgId: string, id: string): Promise<LockedSession> {
  const session = await findSessionForUpdate(trx, orgId, id);
  if (session === undefined) throw notFound('session');
  return session;
}

/** Returns a page of the org's sessions by creation, or by update on request. */
export const pageOfSessions = (db: Db, orgId: string, query: ListSessions) =>
  pageOfRange(db, query, (page) => listSessions(db, orgId, query, page));

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
