import type { RawBuilder } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { itemJobs } from '../../db/jobs/item-jobs.ts';
import type { BulkAction } from './schema.ts';

export const sessionJobs = itemJobs({ jobs: 'session_jobs', items: 'session_job_items', item: 'session_id' });

export interface NewJob {
  id: string;
  userId: number | null;
  action: BulkAction;
  /** SQL: the ids of its sessions. */
  found: RawBuilder<{ id: string }>;
  maxSessions: number;
}

/** Inserts a job with its sessions, up to one more than the maximum. Returns their number. */
export async function insertJob(
  trx: Trx,
  orgId: string,
  { id, userId, action, found, maxSessions }: NewJob,
): Promise<number> {
  const job = { org_id: orgId, id, user_id: userId, action: JSON.stringify(action), total: 0, ended_at: null };
  await trx.insertInto('session_jobs').values(job).execute();
  return sessionJobs.addItems(trx, { orgId, jobId: id }, found, maxSessions);
}

export const findJob = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('session_jobs as job')
    .leftJoin('members as member', (join) =>
      join.onRef('member.org_id', '=', 'job.org_id').onRef('member.user_id', '=', 'job.user_id'),
    )
    .select(['job.id', 'job.user_id', 'member.name as user_name', 'job.action', 'job.state', 'job.total'])
    .select(['job.done', 'job.failed', 'job.created_at', 'job.ended_at'])
    .where('job.org_id', '=', orgId)
    .where('job.id', '=', id)
    .executeTakeFirst();
