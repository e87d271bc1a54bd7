import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { Side } from '../change-session.service.ts';
import { updateSession } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import { findChange, findMessage, listMessagesSinceHandoff } from './relay.queries.ts';

/** An item sent to another system. */
interface Relayed {
  text: string;
  isDraft: boolean;
  attachments: { name: string; url: string }[];
}

/**
 * Returns the text of a message, of a draft of the AI, or of a change of a message, with links to its files. Undefined once
 * it is redacted, or the contact has deleted the message.
 */
export async function findRelayedMessage(
  db: Db,
  links: MediaLinks,
  orgId: string,
  id: string,
): Promise<Relayed | undefined> {
  const row = await findMessage(db, orgId, id);
  if (row === undefined) return findRelayedChange(db, orgId, id);
  if (row.content === null || row.is_deleted) return undefined;
  const attachments = row.attachments.map(({ name, media_id }) => ({
    name,
    url: links.lastingLinkOf({ org_id: orgId, id: media_id }),
  }));
  return { text: row.content, isDraft: row.is_draft, attachments };
}

/**
 * For an edit, returns the message's present text, unless there is a later one. For a deletion, returns the deleted
 * message.
 */
async function findRelayedChange(db: Db, orgId: string, id: string): Promise<Relayed | undefined> {
  const change = await findChange(db, orgId, id);
  if (change === undefined) return undefined;
  const about = (text: string): Relayed => ({ text, isDraft: false, attachments: [] });
  const message = `the message of ${change.said_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (change.type === 'message_deleted') return about(`The customer has deleted ${message}.`);
  if (change.content === null || change.is_deleted || change.is_outdated) return undefined;
  return about(`The customer has edited ${message}. It now says:\n\n${change.content}`);
}

/** Returns the id of the message changed by an event of a session's history, or else the event's own. */
export const messageIdOf = async (db: Db, orgId: string, id: string): Promise<string> =>
  (await findChange(db, orgId, id))?.message_id ?? id;

/** Returns whether a message, a draft of the AI or a change of a message still has a text to send. */
export const isRelayable = async (db: Db, links: MediaLinks, orgId: string, id: string): Promise<boolean> =>
  (await findRelayedMessage(db, links, orgId, id)) !== undefined;

/**
 * Adds another system to the agents' side of the session: from now on, messages of the contact are sent to it. Returns
 * the contact's messages since the session was handed off. They are still to be sent there.
 */
export async function addSystemOfAgents(trx: Trx, orgId: string, sessionId: string): Promise<{ id: string }[]> {
  const { relayed_side: known, contact_id } = await lockSession(trx, orgId, sessionId);
  if (known === 'agents' || known === 'both') return [];
  const side: Side | 'both' = known === null ? 'agents' : 'both';
  await updateSession(trx, orgId, sessionId, { relayed_side: side });
  return (await isContactBlocked(trx, orgId, contact_id)) ? [] : listMessagesSinceHandoff(trx, orgId, sessionId);
}

/** Removes the other system from the agents' side of the session: messages of the contact are no longer sent to it. */
export async function removeSystemOfAgents(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  const { relayed_side: known } = await lockSession(trx, orgId, sessionId);
  const others = known === 'both' || known === 'customer' ? 'customer' : null;
  await updateSession(trx, orgId, sessionId, { relayed_side: others });
}
