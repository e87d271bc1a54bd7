import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Lists the messages, handoffs, takeovers, returns to the AI and status changes of a session in order, without texts.
 * Messages of a blocked contact are left out: nobody is to answer them.
 */
export const listFactEvents = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('session_events')
    .select(['type', 'sender', 'created_at', (eb) => eb.ref('data', '->>').key('to').as('to')])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', 'in', ['message', 'handoff', 'human_agent_takeover', 'returned_to_ai', 'status_changed'])
    .where(sql<SqlBool>`not (data ? 'is_ignored')`)
    .orderBy('seq')
    .execute();

/** Finds the creation time, status and depth of a session. */
export const findSessionState = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('sessions')
    .select(['created_at', 'status', 'active_depth'])
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
