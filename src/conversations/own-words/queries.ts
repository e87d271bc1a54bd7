import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

interface UnreadSession {
  org_id: string;
  session_id: string;
  read_seq: number;
}

/** Locks a session by e-mail with messages that are still to be read, if one is left that no other worker reads. */
export const lockUnreadSession = (trx: Trx): Promise<UnreadSession | undefined> =>
  trx.selectFrom('unread_mail_sessions').selectAll().limit(1).forUpdate().skipLocked().executeTakeFirst();

/** Lists the next messages of a session's contact, without those whose text is not the contact's. */
export const listUnreadMessages = (db: Db, { org_id, session_id, read_seq }: UnreadSession, limit: number) =>
  db
    .selectFrom('session_events')
    .select(['seq', 'content'])
    .where('org_id', '=', org_id)
    .where('session_id', '=', session_id)
    .where('seq', '>', read_seq)
    .where('type', '=', 'message')
    .where('sender', '=', 'contact')
    .where('content', 'is not', null)
    .where(sql<boolean>`not (data ? 'unreadable')`)
    .orderBy('seq')
    .limit(limit)
    .execute();

/** Stores the own words of messages, except of those that were redacted meanwhile. */
export async function updateOwnWords(
  trx: Trx,
  { org_id, session_id }: UnreadSession,
  messages: { seq: number; own_words: string }[],
): Promise<void> {
  await sql`
    update session_events as event set own_words = message.own_words
    from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as message (seq integer, own_words text)
    where event.org_id = ${org_id} and event.session_id = ${session_id} and event.seq = message.seq and event.content is not null
  `.execute(trx);
}

/** Records up to where a session is read. Without a `seq` it is read to its end. */
export async function updateReadSeq(
  trx: Trx,
  { org_id, session_id }: UnreadSession,
  seq: number | undefined,
): Promise<void> {
  const ofSession = { org_id, session_id };
  await (seq === undefined
    ? trx
        .deleteFrom('unread_mail_sessions')
        .where((eb) => eb.and(ofSession))
        .execute()
    : trx
        .updateTable('unread_mail_sessions')
        .set({ read_seq: seq })
        .where((eb) => eb.and(ofSession))
        .execute());
}
