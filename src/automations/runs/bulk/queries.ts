import type { RawBuilder } from 'kysely';
import type { Db, Trx } from '../../../db/connect.ts';
import { itemJobs } from '../../../db/jobs/item-jobs.ts';
import type { RunAction } from './schema.ts';

export const jobsOfRuns = itemJobs({ jobs: 'run_jobs', items: 'run_job_items', item: 'run_id' });

export interface NewRunJob {
  id: string;
  userId: number | null;
  callerId: string;
  action: RunAction;
  /** SQL: the ids of its runs. */
  found: RawBuilder<{ id: string }>;
  maxRuns: number;
}

/** Inserts a job with the runs that it is for, up to one more than the maximum. Returns their number. */
export async function insertJob(
  trx: Trx,
  orgId: string,
  { id, userId, callerId, action, found, maxRuns }: NewRunJob,
): Promise<number> {
  const caller = { user_id: userId, caller_id: callerId };
  const job = { org_id: orgId, id, ...caller, action: JSON.stringify(action), total: 0, ended_at: null };
  await trx.insertInto('run_jobs').values(job).execute();
  return jobsOfRuns.addItems(trx, { orgId, jobId: id }, found, maxRuns);
}

export const findJob = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('run_jobs')
    .select(['id', 'user_id', 'caller_id', 'action', 'state', 'total', 'done', 'failed', 'created_at', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
