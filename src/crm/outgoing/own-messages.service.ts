import { findRelayedMessage } from '../../conversations/messages/relay.service.ts';
import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { ThreadMessage } from '../../providers/crm/hubspot/port.ts';
import { findLinkOfThread } from '../handoffs/links.shared.queries.ts';
import { isOfHandoff, isTextOf } from './own-texts.rules.ts';
import { isOwnMessage, listUnconfirmed } from './shared.queries.ts';

/**
 * Returns whether a message of a thread was posted by us: compares its id, or its text while the answer to our request
 * is missing. A comment of a handoff names its session, and a draft of the AI its own id.
 */
export async function isOwnThreadMessage(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { id, threadId, type, text, direction, clientType }: ThreadMessage,
): Promise<boolean> {
  if (await isOwnMessage(db, orgId, id)) return true;
  if (clientType !== 'INTEGRATION' || (type !== 'COMMENT' && direction !== 'OUTGOING')) return false;
  const link = await findLinkOfThread(db, orgId, threadId);
  if (link === undefined) return false;
  if (type === 'COMMENT' && isOfHandoff(text, link.session_id)) return true;
  for (const messageId of await listUnconfirmed(db, orgId, { sessionId: link.session_id, target: 'thread' })) {
    if (type === 'COMMENT') {
      if (text.includes(messageId)) return true;
      continue;
    }
    const said = await findRelayedMessage(db, links, orgId, messageId);
    if (said !== undefined && isTextOf(text, said)) return true;
  }
  return false;
}
