import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export async function insertMessageOverrides(db: Db, orgId: string, messageId: string, sealed: string): Promise<void> {
  await db.insertInto('message_overrides').values({ org_id: orgId, message_id: messageId, sealed }).execute();
}

export async function findMessageOverrides(db: Db, orgId: string, messageId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('message_overrides')
    .select('sealed')
    .where('org_id', '=', orgId)
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return row?.sealed;
}

export async function deleteMessageOverrides(db: Db, orgId: string, messageIds: string[]): Promise<void> {
  await db
    .deleteFrom('message_overrides')
    .where('org_id', '=', orgId)
    .where('message_id', '=', sql<string>`any(${messageIds})`)
    .execute();
}
