import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Deletes a bounded number of batches older than 30 days. Their events stay known. Returns the number of deleted
 * batches.
 */
export async function deleteExpiredBatches(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from crm_batches where (org_id, id) in (
      select org_id, id from crm_batches where received_at < now() - interval '30 days' order by received_at limit ${limit}
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** The position of the last queued event that was read. */
export interface EventPosition {
  created_at: Date;
  id: number;
}

/** Returns a bounded number of events queued for over two minutes, after the given position. */
export async function listStalledEvents(db: Db, behind: EventPosition | undefined, limit: number) {
  const { rows } = await sql<EventPosition & { org_id: string; queue: string }>`
    select org_id, queue, created_at, id from crm_events
    where state = 'queued' and created_at < now() - interval '2 minutes'
      and (not_before is null or not_before < now() - interval '2 minutes')
      and (created_at, id) > (${behind?.created_at ?? '-infinity'}::timestamptz, ${behind?.id ?? 0}::bigint)
    order by created_at, id limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the ids of those workflows with a command waiting in the outbox. */
export async function listPendingWorkflowIds(db: Db, workflowIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('outbox')
    .select('workflow_id')
    .distinct()
    .where('workflow_id', '=', sql<string>`any(${workflowIds})`)
    .execute();
  return rows.flatMap(({ workflow_id }) => workflow_id ?? []);
}
