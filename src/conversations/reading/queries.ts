import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { readUpTo } from '../queries.ts';

/** A session as a member reads it. */
export interface ReaderRef {
  sessionId: string;
  memberId: number;
}

/** Moves a member's mark forward, and ends the session's counting as unread. */
export async function upsertRead(
  trx: Trx,
  orgId: string,
  { sessionId, memberId }: ReaderRef,
  seq: number,
): Promise<void> {
  await sql`
    insert into session_reads as mark (org_id, session_id, user_id, read_seq) values (${orgId}, ${sessionId}, ${memberId}, ${seq})
    on conflict (org_id, session_id, user_id) do update
      set read_seq = greatest(mark.read_seq, excluded.read_seq), is_unread = false
  `.execute(trx);
}

/** Lets a session count as unread for a member. */
export async function upsertUnread(trx: Trx, orgId: string, { sessionId, memberId }: ReaderRef): Promise<void> {
  await sql`
    insert into session_reads (org_id, session_id, user_id, read_seq, is_unread) values (${orgId}, ${sessionId}, ${memberId}, 0, true)
    on conflict (org_id, session_id, user_id) do update set is_unread = true
  `.execute(trx);
}

/** Returns a member's mark in a session. */
export async function findMark(
  db: Db,
  orgId: string,
  { sessionId, memberId }: ReaderRef,
): Promise<{ read_up_to: string | null; unread: boolean } | undefined> {
  const { rows } = await sql<{ read_up_to: string | null; unread: boolean }>`
    select ${readUpTo(memberId)} as read_up_to, mark.is_unread or session.last_contact_seq > mark.read_seq as unread
    from session_reads as mark join sessions as session on session.org_id = mark.org_id and session.id = mark.session_id
    where mark.org_id = ${orgId} and mark.session_id = ${sessionId} and mark.user_id = ${memberId}
  `.execute(db);
  return rows[0];
}
