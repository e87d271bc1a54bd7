import type { Db } from '../db/connect.ts';
import { conflict, notFound } from '../errors.ts';
import { isUuid, newId } from '../ids.ts';
import { findSessionOf, insertMessage, insertSession, lockSession } from './sessions.queries.ts';
import type { MessagesTable, SessionChannel } from './sessions.table.ts';

interface Opening {
  contactId: string;
  channel: SessionChannel;
}

/** Opens a session with one of the org's contacts. */
export async function openSession(trx: Db, orgId: string, { contactId, channel }: Opening): Promise<{ id: string }> {
  const id = newId();
  await insertSession(trx, { org_id: orgId, id, contact_id: contactId, channel });
  return { id };
}

/**
 * The org's session of this id, which stays open until the transaction ends. The id may be any text. Throws notFound, and conflict
 * where the session is with another contact, on another channel or closed.
 */
export async function useSession(
  trx: Db,
  orgId: string,
  { sessionId, contactId, channel }: Opening & { sessionId: string },
): Promise<{ id: string }> {
  const session = isUuid(sessionId) ? await lockSession(trx, orgId, sessionId) : undefined;
  if (session === undefined) throw notFound('session');
  if (session.contact_id !== contactId) throw conflict('session_id: the session is with another contact');
  if (session.channel !== channel) {
    throw conflict(`session_id: the session is on the channel ${session.channel}, not ${channel}`);
  }
  if (session.status !== 'open') throw conflict(`session_id: the session is ${session.status}`);
  return { id: session.id };
}

/** The session that a message of the org is in. Throws notFound. */
export async function getSessionOf(db: Db, orgId: string, messageId: string): Promise<{ id: string }> {
  const session = await findSessionOf(db, orgId, messageId);
  if (session === undefined) throw notFound('message');
  return session;
}

interface NewMessage {
  /** Unique in the org. */
  id: string;
  sessionId: string;
  sender: MessagesTable['sender'];
  content: string;
}

/** Adds a message to a session, whose times move on. A second one of the same id changes nothing, so that this can be tried again. */
export function addMessage(trx: Db, orgId: string, { id, sessionId, sender, content }: NewMessage): Promise<void> {
  return insertMessage(trx, { org_id: orgId, id, session_id: sessionId, sender, content });
}
