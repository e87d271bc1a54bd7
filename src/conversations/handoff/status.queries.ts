import type { NotNull } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** Lists the last messages of a session without redacted ones, oldest first. */
export async function listLastMessages(db: Db, orgId: string, sessionId: string, limit: number) {
  const latest = await db
    .selectFrom('session_events')
    .select(['sender', 'content'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('type', '=', 'message')
    .where('content', 'is not', null)
    .$narrowType<{ sender: NotNull; content: NotNull }>() // every message has a sender
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return latest.reverse();
}
