import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import { deleteSome } from '../../db/deletion.ts';
import type { SessionJobRef } from './contract.ts';
import type { BulkAction } from './schema.ts';

const ERRORS_SHOWN = 100;

export interface NewJob {
  id: string;
  userId: number | null;
  action: BulkAction;
  /** SQL: the ids of its sessions. */
  found: RawBuilder<{ id: string }>;
  maxSessions: number;
}

/** Inserts a job with the sessions that it is for, up to one more than the maximum. Returns their number. */
export async function insertJob(
  trx: Trx,
  orgId: string,
  { id, userId, action, found, maxSessions }: NewJob,
): Promise<number> {
  const job = { org_id: orgId, id, user_id: userId, action: JSON.stringify(action), total: 0, ended_at: null };
  await trx.insertInto('session_jobs').values(job).execute();
  const { numAffectedRows = 0n } = await sql`
    insert into session_job_items (org_id, job_id, session_id)
    select ${orgId}::uuid, ${id}::uuid, found.id from (${found} limit ${maxSessions + 1}) as found
  `.execute(trx);
  await trx
    .updateTable('session_jobs')
    .set({ total: Number(numAffectedRows) })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
  return Number(numAffectedRows);
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

export const listErrors = (db: Db, orgId: string, jobId: string) =>
  db
    .selectFrom('session_job_items')
    .select((eb) => ['session_id as id', eb.ref('error').$notNull().as('error')])
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('error', 'is not', null)
    .orderBy('session_id')
    .limit(ERRORS_SHOWN)
    .execute();

/** Locks a session of a job that is not done until the transaction ends. */
export const lockNextItem = (trx: Trx, { orgId, jobId }: SessionJobRef) =>
  trx
    .selectFrom('session_job_items')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('is_done', '=', false)
    .orderBy('session_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();

/** Records the outcome for a session, with the counts of its job. */
export async function settleItem(
  trx: Trx,
  { orgId, jobId }: SessionJobRef,
  { sessionId, error }: { sessionId: string; error: string | null },
): Promise<void> {
  await sql`
    with settled as (
      update session_job_items set is_done = true, error = ${error}
      where org_id = ${orgId} and job_id = ${jobId} and session_id = ${sessionId}
    )
    update session_jobs set done = done + 1, failed = failed + ${error === null ? 0 : 1}::integer
    where org_id = ${orgId} and id = ${jobId}
  `.execute(trx);
}

/** Ends a job of which nothing is left. Returns the member who asked for it, if it was not ended before. */
export const endJob = (trx: Trx, { orgId, jobId }: SessionJobRef) =>
  trx
    .updateTable('session_jobs')
    .set({ state: 'done', ended_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', jobId)
    .where('state', '=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('session_job_items as item')
            .select('item.session_id')
            .whereRef('item.org_id', '=', 'session_jobs.org_id')
            .whereRef('item.job_id', '=', 'session_jobs.id')
            .where('item.is_done', '=', false),
        ),
      ),
    )
    .returning('user_id')
    .executeTakeFirst();

/** Returns jobs of all orgs that have not ended. */
export async function listRunningJobs(
  db: Db,
  after: SessionJobRef | undefined,
  limit: number,
): Promise<SessionJobRef[]> {
  const { rows } = await sql<SessionJobRef>`
    select org_id as "orgId", id as "jobId" from session_jobs
    where state = 'running'
      and ${behindInOrder(after?.orgId, after?.jobId, limit)}
  `.execute(db);
  return rows;
}

const RETENTION_DAYS = 30;
/** Belongs to a job that ended long ago. */
const IS_OLD = sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS})`;

/** Deletes some sessions of jobs that ended 30 days ago, or else some of these jobs. Returns the number of rows. */
export async function deleteOldJobs(db: Db): Promise<number> {
  const items = await deleteSome(
    db,
    'session_job_items',
    sql`(org_id, job_id) in (select org_id, id from session_jobs where ${IS_OLD})`,
  );
  return items > 0 ? items : deleteSome(db, 'session_jobs', IS_OLD);
}
