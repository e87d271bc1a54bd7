import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/**
 * Records the start of a call. Returns undefined for the first call under the key, otherwise the stored answer of the
 * earlier one (null if it was never seen). Deletes up to ten of the org's calls older than a week.
 */
export async function startCall<Answer extends StoredAnswer = StoredAnswer>(
  db: Db,
  orgId: string,
  key: string,
): Promise<{ answer: Answer | null } | undefined> {
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
    .$castTo<{ answer: Answer | null }>()
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

/** Deletes a call that began more than a day ago, so that a request with the same key makes it again. */
export async function deleteCallOfEarlierDay(db: Db, orgId: string, key: string): Promise<void> {
  await db
    .deleteFrom('action_calls')
    .where('org_id', '=', orgId)
    .where('key', '=', key)
    .where('began_at', '<=', sql<Date>`now() - interval '24 hours'`)
    .execute();
}

/** Deletes a call whose answer was never seen, so that it is made again. */
export async function deleteUnanswered(db: Db, orgId: string, key: string): Promise<void> {
  await db
    .deleteFrom('action_calls')
    .where('org_id', '=', orgId)
    .where('key', '=', key)
    .where('answer', 'is', null)
    .execute();
}

async function deleteOldCalls(db: Db, orgId: string): Promise<void> {
  await sql`
    delete from action_calls where org_id = ${orgId} and key in (
      select key from action_calls where org_id = ${orgId} and began_at < now() - interval '7 days'
      order by began_at limit 10 for update skip locked
    )
  `.execute(db);
}
