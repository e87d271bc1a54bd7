import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import type { TriggerType } from '../blocks/schema.ts';

/** Returns the number of runs that an event has started, and that have not ended. */
export async function countPendingRunsOfEvent(
  db: Db,
  orgId: string,
  { type, key }: { type: TriggerType; key: string },
): Promise<number> {
  const counted = await sql<{ count: number }>`
    select count(*)::integer as count from automation_runs as run
    where run.org_id = ${orgId} and run.trigger_key = ${key} and run.status in ('idle', 'in_progress')
      and run.automation_id in (select automation_id from automation_versions where org_id = ${orgId} and trigger_type = ${type})
  `.execute(db);
  return onlyRow(counted).count;
}
