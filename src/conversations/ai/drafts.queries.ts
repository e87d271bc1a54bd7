import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

/** A reply proposed by the AI in a session. */
export interface AiDraft {
  /** Null once it is redacted. */
  content: string | null;
  /** The message it was sent as. */
  sent_as: string | null;
}

/** Finds a draft of the AI in a locked session. */
export const findAiDraft = (
  trx: Trx,
  orgId: string,
  { sessionId, draftId }: { sessionId: string; draftId: string },
): Promise<AiDraft | undefined> =>
  trx
    .selectFrom('session_events')
    .select(['content', sql<string | null>`data->>'sent_as'`.as('sent_as')])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('id', '=', draftId)
    .where('type', '=', 'human_agent_comment')
    .where(sql<boolean>`data ? 'is_draft'`)
    .executeTakeFirst();

/**
 * Records the message sent from each draft of the AI. A redaction of the message then removes the draft's text too.
 * Returns the drafts without another message sent for them.
 */
export async function markDraftsSent(
  trx: Trx,
  orgId: string,
  drafts: { draftId: string; sentAs: string }[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update session_events as event set data = event.data || jsonb_build_object('sent_as', draft."sentAs", 'about', draft."sentAs")
    from jsonb_to_recordset(${JSON.stringify(drafts)}::jsonb) as draft ("draftId" uuid, "sentAs" uuid)
    where event.org_id = ${orgId} and event.id = draft."draftId" and event.type = 'human_agent_comment'
      and event.data ? 'is_draft' and coalesce(event.data->>'sent_as', draft."sentAs"::text) = draft."sentAs"::text
    returning event.id
  `.execute(trx);
  return rows.map(({ id }) => id);
}
