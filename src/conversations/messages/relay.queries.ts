import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Finds the content of a message, or of a draft of the AI. Its text is null if redacted. */
export const findMessage = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('session_events')
    .select(['content', sql<boolean>`type = 'human_agent_comment'`.as('is_draft')])
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
