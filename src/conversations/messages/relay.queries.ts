import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Finds the content of a message, or of a draft of the AI. Its text is null if redacted. A draft sent to the contact
 * unchanged counts as a message.
 */
export const findMessage = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('session_events')
    .select([
      'content',
      sql<boolean>`type = 'human_agent_comment' and data->>'sent_as' is distinct from id::text`.as('is_draft'),
    ])
    .select(sql<boolean>`data ? 'deleted_at'`.as('is_deleted'))
    .select(sql<{ name: string; media_id: string }[]>`coalesce(data->'attachments', '[]')`.as('attachments'))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('type', 'in', ['message', 'workflow_message']),
        eb.and([eb('type', '=', 'human_agent_comment'), eb(sql<boolean>`data ? 'is_draft'`, '=', true)]),
      ]),
    )
    .executeTakeFirst();

/** Finds an edit or a deletion of a message, with the message as it is now, and whether there is a later edit. */
export async function findChange(db: Db, orgId: string, id: string) {
  const { rows } = await sql<{
    type: 'message_edited' | 'message_deleted';
    message_id: string;
    said_at: Date;
    content: string | null;
    is_deleted: boolean;
    is_outdated: boolean;
  }>`
    select change.type, message.id as message_id, message.created_at as said_at, message.content, message.data ? 'deleted_at' as is_deleted, exists (
        select from session_events as later
        where later.org_id = change.org_id and later.session_id = change.session_id and later.seq > change.seq
          and later.type = 'message_edited' and later.data->>'message_id' = change.data->>'message_id'
      ) as is_outdated
    from session_events as change
    join session_events as message on message.org_id = change.org_id and message.id = (change.data->>'message_id')::uuid
    where change.org_id = ${orgId} and change.id = ${id} and change.type in ('message_edited', 'message_deleted')
  `.execute(db);
  return rows[0];
}

/** Lists the messages of the contact since the session was last handed off. */
export const listMessagesSinceHandoff = (db: Db, orgId: string, sessionId: string): Promise<{ id: string }[]> =>
  db
    .selectFrom('session_events')
    .select('id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', '=', 'message')
    .where('sender', '=', 'contact')
    .where(sql<boolean>`not data ? 'deleted_at'`)
    .where('seq', '>', ({ selectFrom }) =>
      selectFrom('session_events as handoff')
        .select(({ fn }) => fn.max('handoff.seq').as('seq'))
        .where('handoff.org_id', '=', orgId)
        .where('handoff.session_id', '=', sessionId)
        .where('handoff.type', 'in', ['handoff', 'human_agent_takeover']),
    )
    .orderBy('seq')
    .execute();
