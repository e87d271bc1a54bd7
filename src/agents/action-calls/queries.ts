import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** Notes that a call begins. Gives what is known of one that began under the same key before, or undefined. Those of over a week ago are forgotten. */
export async function startCall(
  db: Db,
  orgId: string,
  key: string,
): Promise<{ answer: StoredAnswer | null } | undefined> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('action_calls')
    .values({ org_id: orgId, key })
    .onConflict((oc) => oc.columns(['org_id', 'key']).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 1n) {
    await deleteOldCalls(db, orgId);
    return undefined;
  }
  return db
    .selectFrom('action_calls')
    .select('answer')
    .where('org_id', '=', orgId)
    .where('key', '=', key)
    .executeTakeFirst();
}

export async function storeAnswer(db: Db, orgId: string, key: string, answer: StoredAnswer): Promise<void> {
  await db
    .updateTable('action_calls')
    .set({ answer: JSON.stringify(answer) })
    .where('org_id', '=', orgId)
    .where('key', '=', key)
    .execute();
}

export async function deleteCall(db: Db, orgId: string, key: string): Promise<void> {
  await db.deleteFrom('action_calls').where('org_id', '=', orgId).where('key', '=', key).execute();
}

async function deleteOldCalls(db: Db, orgId: string): Promise<void> {
  await sql`
    delete from action_calls where org_id = ${orgId} and key in (
      select key from action_calls where org_id = ${orgId} and began_at < now() - interval '7 days'
      order by began_at limit 10 for update skip locked
    )
  `.execute(db);
}
