import type { Db } from '../../db/connect.ts';

/** What was said and how the status changed in a session, in order, without its texts. */
export const listFactEvents = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('session_events')
    .select(['type', 'sender', 'created_at', (eb) => eb.ref('data', '->>').key('to').as('to')])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', 'in', ['message', 'handoff', 'human_agent_takeover', 'status_changed'])
    .orderBy('seq')
    .execute();

/** When the session was opened, and how it stands. */
export const findSessionState = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('sessions')
    .select(['created_at', 'status'])
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
