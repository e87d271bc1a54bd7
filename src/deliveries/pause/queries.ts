import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { onlyRow } from '../../db/rows.ts';

const pauseQuery = compiledOnce((_: Record<never, never>, db) =>
  db.selectFrom('sending_pause').select(['reason', 'paused_at']).where('resumed_at', 'is', null),
);

/** Finds the pause of all sending. It is read before each batch: the table has one row at most. */
export const findPause = async (db: Db) => (await db.executeQuery(pauseQuery(db, {}))).rows[0];

/** Records the pause. One that has not ended keeps its time and its reason. Returns whether one began. */
export async function insertPause(db: Db, reason: string | null): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('sending_pause')
    .values({ reason })
    .onConflict((conflict) =>
      conflict
        .column('is_only_row')
        .doUpdateSet({ reason, paused_at: sql<Date>`now()`, resumed_at: null })
        .where('sending_pause.resumed_at', 'is not', null),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Ends the pause. Returns whether there was one. */
export async function endPause(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sending_pause')
    .set({ resumed_at: sql<Date>`now()` })
    .where('resumed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface WaitingSends {
  /** Deliveries outside of sequences that are due or become due later. */
  queued_messages: number;
  pending_webhooks: number;
  active_sequences: number;
  /** Deliveries of which nobody knows whether they went out. */
  unknown_deliveries: number;
}

/** Counts what waits to be sent, over all orgs. */
export async function countWaiting(db: Db): Promise<WaitingSends> {
  return onlyRow(
    await sql<WaitingSends>`
      select
        (select count(*) from deliveries where sequence_id is null and status = 'queued') as queued_messages,
        (select count(*) from webhook_deliveries where status <> 'delivered' and status in ('pending', 'retrying')) as pending_webhooks,
        (select count(*) from sequences where status = 'active' and deleted_at is null) as active_sequences,
        (select count(*) from orgs cross join lateral (
          select from deliveries where org_id = orgs.id and status = 'unknown') as unknown) as unknown_deliveries
    `.execute(db),
  );
}
