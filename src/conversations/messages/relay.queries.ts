import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Finds the content of a message. Its text is null if redacted. */
export const findMessage = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('session_events')
    .select('content')
    .select(sql<{ name: string; media_id: string }[]>`coalesce(data->'attachments', '[]')`.as('attachments'))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('type', 'in', ['message', 'workflow_message'])
    .executeTakeFirst();
