import type { Db, Trx } from '../../db/connect.ts';
import type { ThreadChannel } from './table.ts';

export interface ThreadRef {
  channel: ThreadChannel;
  thread: string;
}

/** Finds the session of a thread. */
export async function findSessionOfThread(
  db: Db,
  orgId: string,
  { channel, thread }: ThreadRef,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('session_threads')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where('channel', '=', channel)
    .where('thread', '=', thread)
    .executeTakeFirst();
  return row?.session_id;
}

/** Finds the thread of a session. */
export async function findThreadOfSession(db: Db, orgId: string, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('session_threads')
    .select('thread')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row?.thread;
}

/** Records a session as the one of a thread from now on. */
export async function insertThread(
  trx: Trx,
  orgId: string,
  { channel, thread, sessionId }: ThreadRef & { sessionId: string },
): Promise<void> {
  await trx.insertInto('session_threads').values({ org_id: orgId, channel, thread, session_id: sessionId }).execute();
}
