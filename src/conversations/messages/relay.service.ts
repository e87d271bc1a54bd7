import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { Side } from '../change-session.service.ts';
import { updateSession } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import { findMessage, listMessagesSinceHandoff } from './relay.queries.ts';

/** Returns the text of a message, or of a draft of the AI, with links to its files. Undefined once it is redacted. */
export async function findRelayedMessage(
  db: Db,
  links: MediaLinks,
  orgId: string,
  id: string,
): Promise<{ text: string; isDraft: boolean; attachments: { name: string; url: string }[] } | undefined> {
  const row = await findMessage(db, orgId, id);
  if (row?.content == null) return undefined;
  const attachments = row.attachments.map(({ name, media_id }) => ({
    name,
    url: links.linkOf({ org_id: orgId, id: media_id }),
  }));
  return { text: row.content, isDraft: row.is_draft, attachments };
}

/** Returns whether a message, or a draft of the AI, still has its text. */
export const isRelayable = async (db: Db, orgId: string, id: string): Promise<boolean> =>
  (await findMessage(db, orgId, id))?.content != null;

/**
 * Adds another system to the agents' side of the session: from now on, messages of the contact are sent to it. Returns
 * what the contact has written since the session was handed off, which is still to be sent there.
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
