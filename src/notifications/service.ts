import type { Db, Trx } from '../db/connect.ts';
import { decodeCursor, toPage } from '../db/cursor.ts';
import { notifyAfterCommit } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { countUnread, insertNotifications, listNotifications, markRead } from './queries.ts';
import type { ListNotifications, NotificationKind, ReadNotifications } from './schema.ts';

export { deleteOldNotifications } from './queries.ts';

/** The channel of hints about what live streams show and no table of events has. */
export const BROADCAST_CHANNEL = 'broadcasts';

interface News {
  kind: NotificationKind;
  sessionId: string | null;
  data?: object;
}

/** Has members hear of something, unless they do not want to. Their open streams get an event after the commit. */
export async function addNotifications(
  trx: Trx,
  orgId: string,
  userIds: number[],
  { kind, sessionId, data = {} }: News,
): Promise<void> {
  if (userIds.length === 0) return;
  const rows = [...new Set(userIds)].map((user_id) => ({ id: newId(), user_id, kind, session_id: sessionId, data }));
  for (const userId of await insertNotifications(trx, orgId, rows))
    notifyAfterCommit(trx, BROADCAST_CHANNEL, `notifications/${orgId}/${userId}`);
}

/** Returns the members named by hints. */
export const notifiedIn = (hints: string): { orgId: string; memberId: number }[] =>
  hints.split(' ').flatMap((hint) => {
    const [topic, orgId = '', memberId] = hint.split('/');
    return topic === 'notifications' ? [{ orgId, memberId: Number(memberId) }] : [];
  });

/** Returns a page of the notifications of a member, the newest first. */
export async function pageOfNotifications(
  db: Db,
  orgId: string,
  { userId, unread = false, cursor, limit }: ListNotifications & { userId: number },
) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await listNotifications(db, orgId, { userId, isUnread: unread, after, limit });
  const page = toPage(rows, limit, ({ created_at }) => created_at);
  return { ...page, unread: await countUnread(db, orgId, userId) };
}

/** Marks notifications of a member as read. Its other streams get an event. */
export async function readNotifications(
  trx: Trx,
  orgId: string,
  { userId, ...which }: ReadNotifications & { userId: number },
): Promise<void> {
  await markRead(trx, orgId, { userId, ...which });
  notifyAfterCommit(trx, BROADCAST_CHANNEL, `notifications/${orgId}/${userId}`);
}
