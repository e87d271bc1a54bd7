import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../../db/connect.ts';
import { behindInOrder } from '../../../db/cursor.ts';
import { deleteSome } from '../../../db/deletion.ts';
import type { RunJobRef } from './contract.ts';
import type { RunAction } from './schema.ts';

const ERRORS_SHOWN = 100;

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
  const { numAffectedRows = 0n } = await sql`
    insert into run_job_items (org_id, job_id, run_id)
    select ${orgId}::uuid, ${id}::uuid, found.id from (${found} limit ${maxRuns + 1}) as found order by found.id
  `.execute(trx);
  const total = Number(numAffectedRows);
  await trx.updateTable('run_jobs').set({ total }).where('org_id', '=', orgId).where('id', '=', id).execute();
  return total;
}

export const findJob = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('run_jobs')
    .select(['id', 'user_id', 'caller_id', 'action', 'state', 'total', 'done', 'failed', 'created_at', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

export const listErrors = (db: Db, orgId: string, jobId: string) =>
  db
    .selectFrom('run_job_items')
    .select((eb) => ['run_id as id', eb.ref('error').$notNull().as('error')])
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('error', 'is not', null)
    .orderBy('run_id')
    .limit(ERRORS_SHOWN)
    .execute();

/** Locks a run of a job that is not done until the transaction ends. */
export const lockNextItem = (trx: Trx, { orgId, jobId }: RunJobRef) =>
  trx
    .selectFrom('run_job_items')
    .select('run_id')
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('is_done', '=', false)
    .orderBy('run_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();

/** Records the outcome for a run, with the counts of its job. */
export async function settleItem(
  trx: Trx,
  { orgId, jobId }: RunJobRef,
  { runId, error }: { runId: string; error: string | null },
): Promise<void> {
  await sql`
    with settled as (
      update run_job_items set is_done = true, error = ${error}
      where org_id = ${orgId} and job_id = ${jobId} and run_id = ${runId}
    )
    update run_jobs set done = done + 1, failed = failed + ${error === null ? 0 : 1}::integer
    where org_id = ${orgId} and id = ${jobId}
  `.execute(trx);
}

/** Ends a job of which nothing is left. Returns the member who asked for it, if it was not ended before. */
export const endJob = (trx: Trx, { orgId, jobId }: RunJobRef) =>
  trx
    .updateTable('run_jobs')
    .set({ state: 'done', ended_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', jobId)
    .where('state', '=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('run_job_items as item')
            .select('item.run_id')
            .whereRef('item.org_id', '=', 'run_jobs.org_id')
            .whereRef('item.job_id', '=', 'run_jobs.id')
            .where('item.is_done', '=', false),
        ),
      ),
    )
    .returning('user_id')
    .executeTakeFirst();

/** Returns jobs of all orgs that have not ended. */
export async function listRunningRunJobs(db: Db, after: RunJobRef | undefined, limit: number): Promise<RunJobRef[]> {
  const { rows } = await sql<RunJobRef>`
    select org_id as "orgId", id as "jobId" from run_jobs
    where state = 'running'
      and ${behindInOrder(after?.orgId, after?.jobId, limit)}
  `.execute(db);
  return rows;
}

const RETENTION_DAYS = 30;
/** Belongs to a job that ended long ago. */
const IS_OLD = sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS})`;

/** Deletes some items of jobs that ended 30 days ago, or else some of these jobs. Returns the number of rows. */
export async function deleteOldRunJobs(db: Db): Promise<number> {
  const items = await deleteSome(
    db,
    'run_job_items',
    sql`(org_id, job_id) in (select org_id, id from run_jobs where ${IS_OLD})`,
  );
  return items > 0 ? items : deleteSome(db, 'run_jobs', IS_OLD);
}
