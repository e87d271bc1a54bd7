import type { Db, Trx } from '../../db/connect.ts';
import { decodeCursor, toPage } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { MediaLinks } from '../../media/links.ts';
import { lockMember } from '../../orgs/members/service.ts';
import { getSession, lockSession } from '../sessions/service.ts';
import { type DraftRef, deleteDraft, findDraft, listDrafts, upsertDraft } from './drafts.queries.ts';
import type { ListDrafts, SaveDraft } from './drafts.schema.ts';
import { fileIdsOf, withLinks } from './files.service.ts';

export { deleteDraftsOfSession } from './drafts.queries.ts';

/** Returns the draft of a member in a session. Throws notFound for the session. */
export async function readDraft(db: Db, links: MediaLinks, orgId: string, ref: DraftRef) {
  await getSession(db, orgId, ref.sessionId);
  const draft = await findDraft(db, orgId, ref);
  return { draft: draft === undefined ? null : withLinks(links, orgId, draft) };
}

/** Saves the draft of a member in a session, in place of the former one. Throws notFound, and invalid for unknown files. */
export const saveDraft = (
  db: Db,
  orgId: string,
  ref: DraftRef,
  { kind, text, attachments }: SaveDraft,
): Promise<void> =>
  inTransaction(db, async (trx) => {
    const { id } = await lockSession(trx, orgId, ref.sessionId); // a redaction deletes it, or comes before
    if (!(await lockMember(trx, orgId, ref.userId))) return;
    const media_ids = await fileIdsOf(trx, orgId, attachments);
    await upsertDraft(trx, { org_id: orgId, user_id: ref.userId, session_id: id, kind, text, media_ids });
  });

/** Deletes the draft of a member in a session, if there is one. Throws notFound for the session. */
export async function discardDraft(db: Db, orgId: string, ref: DraftRef): Promise<void> {
  await getSession(db, orgId, ref.sessionId);
  await deleteDraft(db, orgId, ref);
}

/** Deletes the draft of a reply with the sent text: the sender may be gone before the answer. */
export async function deleteSentDraft(
  trx: Trx,
  orgId: string,
  { text, ...ref }: DraftRef & { text: string },
): Promise<void> {
  const draft = await findDraft(trx, orgId, ref);
  if (draft?.kind === 'reply' && draft.text === text) await deleteDraft(trx, orgId, ref);
}

/** Returns a page of the drafts of a member, the newest first. */
export async function pageOfDrafts(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { userId, cursor, limit }: ListDrafts & { userId: number },
) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await listDrafts(db, orgId, { userId, after, limit });
  const { items, next } = toPage(rows, limit, ({ updated_at }) => updated_at);
  return { items: items.map((row) => withLinks(links, orgId, row)), next };
}
