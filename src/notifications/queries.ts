import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { Position } from '../db/cursor.ts';
import { deleteSome } from '../db/deletion.ts';
import { onlyRow } from '../db/rows.ts';
import type { NotificationKind } from './schema.ts';

const MAX_COUNTED = 1_000;
const RETENTION_DAYS = 90;
/** A text may be stored empty. */
const CONTACT_NAME = sql<string | null>`coalesce(nullif(contact.name, ''), contact.email, contact.phone_number)`;

export interface NewNotification {
  id: string;
  user_id: number;
  kind: NotificationKind;
  session_id: string | null;
  data: object;
}

/** Inserts notifications, but for what a member does not want to hear of. Returns the members who get one. */
export async function insertNotifications(
  trx: Trx,
  orgId: string,
  notifications: NewNotification[],
): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    insert into notifications (org_id, id, user_id, kind, session_id, data)
    select member.org_id, news.id, member.user_id, news.kind, news.session_id, news.data
    from jsonb_to_recordset(${JSON.stringify(notifications)}::jsonb)
      as news (id uuid, user_id bigint, kind text, session_id uuid, data jsonb)
    join members as member on member.org_id = ${orgId} and member.user_id = news.user_id and member.deleted_at is null
    where coalesce(member.settings -> 'notify' ->> news.kind, 'true') = 'true'
    returning user_id
  `.execute(trx);
  return rows.map(({ user_id }) => user_id);
}

interface OfMember {
  userId: number;
  isUnread: boolean;
  after: Position | undefined;
  limit: number;
}

/** Returns the notifications of a member behind a position, plus one more if there is one, the newest first. */
export const listNotifications = (db: Db, orgId: string, { userId, isUnread, after, limit }: OfMember) =>
  db
    .selectFrom('notifications as news')
    .leftJoin('sessions as session', (join) =>
      join.onRef('session.org_id', '=', 'news.org_id').onRef('session.id', '=', 'news.session_id'),
    )
    .leftJoin('contacts as contact', (join) =>
      join.onRef('contact.org_id', '=', 'session.org_id').onRef('contact.id', '=', 'session.contact_id'),
    )
    .select(['news.id', 'news.kind', 'news.session_id', 'news.data', 'news.created_at', 'news.read_at'])
    .select(['session.ticket_number', CONTACT_NAME.as('contact_name')])
    .where('news.org_id', '=', orgId)
    .where('news.user_id', '=', userId)
    .$if(isUnread, (query) => query.where('news.read_at', 'is', null))
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(news.created_at, news.id) < (${after?.at}::timestamptz, ${after?.id}::uuid)`),
    )
    .orderBy('news.created_at', 'desc')
    .orderBy('news.id', 'desc')
    .limit(limit + 1)
    .execute();

export async function countUnread(db: Db, orgId: string, userId: number): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from notifications where org_id = ${orgId} and user_id = ${userId} and read_at is null limit ${MAX_COUNTED}
    ) as unread
  `.execute(db);
  return onlyRow(counted).count;
}

export async function markRead(
  db: Db,
  orgId: string,
  { userId, ids, before }: { userId: number; ids?: string[] | undefined; before?: Date | undefined },
): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ read_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .$call((query) => (ids === undefined ? query : query.where('id', '=', sql<string>`any(${ids}::uuid[])`)))
    .$call((query) => (before === undefined ? query : query.where('created_at', '<=', before)))
    .execute();
}

/** Deletes some notifications that are older than 90 days. Returns their number. */
export const deleteOldNotifications = (db: Db): Promise<number> =>
  deleteSome(db, 'notifications', sql`created_at < now() - make_interval(days => ${RETENTION_DAYS})`);
