import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { RunRef } from './contract.ts';

/** A run in progress, with the batch that does it. */
export interface RunInProgress extends RunRef {
  batchId: string | null;
}

/** Returns runs in progress of all orgs behind a run, in a fixed order. */
export async function listRunsInProgress(db: Db, after: RunRef | undefined, limit: number): Promise<RunInProgress[]> {
  const { rows } = await sql<RunInProgress>`
    select org_id as "orgId", id as "runId", case when not left_batch then batch_id end as "batchId" from automation_runs
    where status = 'in_progress'
      and ${after === undefined ? sql`true` : sql`(org_id, id) > (${after.orgId}::uuid, ${after.runId}::uuid)`}
    order by org_id, id limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the step of a run that was begun last, one in progress or waiting before all others. */
export const findLatestStep = (trx: Trx, { orgId, runId }: RunRef) =>
  trx
    .selectFrom('automation_steps')
    .select(['place', 'status'])
    .where('org_id', '=', orgId)
    .where('run_id', '=', runId)
    .orderBy(sql<boolean>`status in ('in_progress', 'waiting')`, 'desc')
    .orderBy('started_at', 'desc')
    .orderBy('place', 'desc')
    .limit(1)
    .executeTakeFirst();
