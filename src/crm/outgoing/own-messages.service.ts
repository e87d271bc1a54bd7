import { findRelayedMessage } from '../../conversations/messages/relay.service.ts';
import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { ThreadMessage } from '../../providers/crm/hubspot/port.ts';
import { findLinkOfThread } from '../links.queries.ts';
import { isOwnMessage, listUnconfirmed } from '../outgoing.queries.ts';

/**
 * Returns whether a message of a thread was posted by us: compares its id, or its text while the answer to our request
 * is missing. The comment of a handoff contains the id of its session, and a draft of the AI its own.
 */
export async function isOwnThreadMessage(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { id, threadId, type, text, direction }: ThreadMessage,
): Promise<boolean> {
  if (await isOwnMessage(db, orgId, id)) return true;
  if (type !== 'COMMENT' && direction !== 'OUTGOING') return false;
  const link = await findLinkOfThread(db, orgId, threadId);
  if (link === undefined) return false;
  if (type === 'COMMENT' && text.includes(link.session_id)) return true;
  for (const messageId of await listUnconfirmed(db, orgId, { sessionId: link.session_id, target: 'thread' })) {
    if (type === 'COMMENT') {
      if (text.includes(messageId)) return true;
      continue;
    }
    const said = await findRelayedMessage(db, links, orgId, messageId);
    if (said !== undefined && said.text !== '' && text.startsWith(said.text)) return true;
  }
  return false;
}
