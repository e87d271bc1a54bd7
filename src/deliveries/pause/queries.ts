import type { Db } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';

const pauseQuery = compiledOnce((_: Record<never, never>, db) =>
  db.selectFrom('sending_pause').select(['reason', 'paused_at']),
);

/** Finds the pause of all sending. It is read before each batch: the table has one row at most. */
export const findPause = async (db: Db) => (await db.executeQuery(pauseQuery(db, {}))).rows[0];

/** Records the pause. One that exists keeps its time and its reason. */
export async function insertPause(db: Db, reason: string | null): Promise<void> {
  await db
    .insertInto('sending_pause')
    .values({ reason })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deletePause(db: Db): Promise<void> {
  await db.deleteFrom('sending_pause').execute();
}
