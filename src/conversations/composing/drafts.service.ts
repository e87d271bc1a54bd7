import type { Db, Trx } from '../../db/connect.ts';
import { decodeCursor, toPage } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { changed, refused } from '../../errors.ts';
import type { MediaLinks } from '../../media/links.ts';
import { lockMember } from '../../orgs/members/service.ts';
import { getSession, lockSession } from '../sessions/service.ts';
import {
  type DraftRef,
  type DraftsRef,
  deleteDrafts,
  findDraft,
  listDrafts,
  listDraftsIn,
  upsertDraft,
} from './drafts.queries.ts';
import type { ListDrafts, SaveDraft } from './drafts.schema.ts';
import { fileIdsOf, withLinks } from './files.service.ts';

export { deleteDraftsOfSession } from './drafts.queries.ts';

/** Returns the drafts of a member in a session. Throws notFound for the session. */
export async function readDrafts(db: Db, links: MediaLinks, orgId: string, ref: DraftsRef) {
  await getSession(db, orgId, ref.sessionId);
  const drafts = (await listDraftsIn(db, orgId, ref)).map((draft) => withLinks(links, orgId, draft));
  return { draft: drafts[0] ?? null, drafts };
}

/**
 * Saves the draft of a member in a session, in place of the former one of its kind. One without text and files is none.
 * Returns when it was updated, or null for none. Throws notFound, invalid for unknown files, and changed if the draft is
 * not as expected.
 */
export const saveDraft = (
  db: Db,
  orgId: string,
  { sessionId, userId }: DraftsRef,
  { kind, text, attachments, expected_updated_at }: SaveDraft,
): Promise<Date | null> =>
  inTransaction(db, async (trx) => {
    const { id } = await lockSession(trx, orgId, sessionId); // a redaction deletes it, or comes before
    if (!(await lockMember(trx, orgId, userId))) return null;
    const ref = { sessionId: id, userId, kind };
    if (expected_updated_at !== undefined) assertExpected(await findDraft(trx, orgId, ref), expected_updated_at);
    const media_ids = await fileIdsOf(trx, orgId, attachments);
    if (text !== '' || media_ids.length > 0)
      return upsertDraft(trx, { org_id: orgId, user_id: userId, session_id: id, kind, text, media_ids });
    await deleteDrafts(trx, orgId, ref);
    return null;
  });

/** Deletes what a member has begun to write in a session. Throws notFound for the session. */
export async function discardDrafts(
  db: Db,
  orgId: string,
  ref: DraftsRef & { kind?: DraftRef['kind'] | undefined },
): Promise<void> {
  await getSession(db, orgId, ref.sessionId);
  await deleteDrafts(db, orgId, ref);
}

interface SentDraft {
  sessionId: string;
  userId: number | null | undefined;
  kind: DraftRef['kind'];
  text: string;
  expected: string | undefined;
}

/**
 * Deletes the draft that its member sends, in a locked session: the one expected, or else one with the sent text, as the
 * sender may be gone before the answer. Throws changed if the draft is not as expected: it was sent from elsewhere, for
 * example.
 */
export async function takeSentDraft(
  trx: Trx,
  orgId: string,
  { userId, text, expected, ...sent }: SentDraft,
): Promise<void> {
  if (userId === null || userId === undefined) {
    if (expected !== undefined) throw refused('draft_updated_at', 'only a signed-in member has drafts');
    return;
  }
  const ref = { ...sent, userId };
  const draft = await findDraft(trx, orgId, ref);
  if (expected !== undefined) assertExpected(draft, expected);
  if (expected !== undefined || draft?.text === text) await deleteDrafts(trx, orgId, ref);
}

function assertExpected(draft: { updated_at: Date } | undefined, expected: string | null): void {
  const isAt = draft?.updated_at.getTime();
  if (isAt === (expected === null ? undefined : Date.parse(expected))) return;
  throw changed('Your draft was changed, sent or deleted elsewhere. Read it again');
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
