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

/** Lists the messages of the contact since the session was last handed off. */
export const listMessagesSinceHandoff = (db: Db, orgId: string, sessionId: string): Promise<{ id: string }[]> =>
  db
    .selectFrom('session_events')
    .select('id')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', '=', 'message')
    .where('sender', '=', 'contact')
    .where('seq', '>', ({ selectFrom }) =>
      selectFrom('session_events as handoff')
        .select(({ fn }) => fn.max('handoff.seq').as('seq'))
        .where('handoff.org_id', '=', orgId)
        .where('handoff.session_id', '=', sessionId)
        .where('handoff.type', 'in', ['handoff', 'human_agent_takeover']),
    )
    .orderBy('seq')
    .execute();
