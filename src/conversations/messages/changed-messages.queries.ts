import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

/** A message of a contact in its session. */
export interface MessageRef {
  sessionId: string;
  id: string;
}

/** Finds the text of a contact's message, unless it was redacted, deleted, or edited after `at`. */
export const findChangeableText = (db: Db, orgId: string, { sessionId, id }: MessageRef, at: Date) =>
  db
    .selectFrom('session_events')
    .select(['content', sql<boolean>`data ? 'is_ignored'`.as('is_ignored')])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .where('sender', '=', 'contact')
    .where(sql<boolean>`not data ?| array['redacted', 'deleted_at']`)
    .where(sql<boolean>`coalesce((data->>'edited_at')::timestamptz <= ${at}, true)`)
    .executeTakeFirst();

/**
 * Replaces a message's text, and says when. `isReadable`: whether the text is now the contact's own, if this changes.
 */
export async function updateEditedText(
  trx: Trx,
  orgId: string,
  { sessionId, id, text, at, isReadable }: MessageRef & { text: string; at: Date; isReadable: boolean | undefined },
): Promise<void> {
  const marks = { edited_at: at, ...(isReadable === false && { unreadable: true }) };
  await sql`
    update session_events set content = ${text},
      data = case when ${isReadable === true}::boolean then data - 'unreadable' else data end || ${JSON.stringify(marks)}::jsonb
    where org_id = ${orgId} and session_id = ${sessionId} and id = ${id}
  `.execute(trx);
}

/** Says of a contact's message when the contact deleted it. Returns undefined if it was redacted, or deleted before. */
export async function updateDeletedMessage(
  trx: Trx,
  orgId: string,
  { sessionId, id, at }: MessageRef & { at: Date },
): Promise<{ is_ignored: boolean } | undefined> {
  const { rows } = await sql<{ is_ignored: boolean }>`
    update session_events set data = data || ${JSON.stringify({ deleted_at: at })}::jsonb
    where org_id = ${orgId} and session_id = ${sessionId} and id = ${id} and sender = 'contact'
      and not data ?| array['redacted', 'deleted_at']
    returning data ? 'is_ignored' as is_ignored
  `.execute(trx);
  return rows[0];
}
