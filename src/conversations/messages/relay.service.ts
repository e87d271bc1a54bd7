import type { Db, Trx } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { Side } from '../change-session.service.ts';
import { updateSession } from '../queries.ts';
import { lockSession } from '../sessions/service.ts';
import { findMessage } from './relay.queries.ts';

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

/** Adds another system to this side of the session: from now on, messages of the other side are sent to it. */
export async function addRelayedSide(trx: Trx, orgId: string, sessionId: string, side: Side): Promise<void> {
  const { relayed_side: known } = await lockSession(trx, orgId, sessionId);
  const isOther = known !== null && known !== side;
  await updateSession(trx, orgId, sessionId, { relayed_side: isOther ? 'both' : side });
}
