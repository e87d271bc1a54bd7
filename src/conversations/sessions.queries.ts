import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { MessagesTable, SessionsTable } from './sessions.table.ts';

export async function insertSession(
  db: Db,
  session: Pick<SessionsTable, 'org_id' | 'id' | 'contact_id' | 'channel'>,
): Promise<void> {
  await db.insertInto('sessions').values(session).execute();
}

/** The session as it stays until the transaction ends. */
export function lockSession(trx: Db, orgId: string, id: string) {
  return trx
    .selectFrom('sessions')
    .select(['id', 'contact_id', 'channel', 'status'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** The session that a message is in. */
export function findSessionOf(db: Db, orgId: string, messageId: string) {
  return db
    .selectFrom('messages')
    .select('session_id as id')
    .where('org_id', '=', orgId)
    .where('id', '=', messageId)
    .executeTakeFirst();
}

/** Inserts the message and moves its session's times, never back. An id that is there already changes nothing. */
export async function insertMessage(
  db: Db,
  message: Pick<MessagesTable, 'org_id' | 'id' | 'session_id' | 'sender' | 'content'>,
): Promise<void> {
  await db
    .with('added', (cte) =>
      cte
        .insertInto('messages')
        .values(message)
        .onConflict((conflict) => conflict.columns(['org_id', 'id']).doNothing())
        .returning(['org_id', 'session_id', 'created_at']),
    )
    .updateTable('sessions')
    .from('added')
    .set({
      last_message_at: sql<Date>`greatest(sessions.last_message_at, added.created_at)`,
      updated_at: sql<Date>`greatest(sessions.updated_at, added.created_at)`,
    })
    .whereRef('sessions.org_id', '=', 'added.org_id')
    .whereRef('sessions.id', '=', 'added.session_id')
    .execute();
}
