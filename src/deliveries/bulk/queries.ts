import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import { deleteSome } from '../../db/deletion.ts';
import type { DeliveryFilters } from '../ledger/schema.ts';
import { filteredDeliveries } from '../queries.ts';
import type { DeliveryJobRef } from './contract.ts';

const ERRORS_SHOWN = 100;
const ITEMS_PER_BATCH = 500;

export interface NewDeliveryJob {
  id: string;
  userId: number | null;
  outcome: 'sent' | 'failed';
  filters: DeliveryFilters;
  maxDeliveries: number;
}

/** Inserts a job with the unknown deliveries that meet its filters, up to one more than the maximum. Returns their number. */
export async function insertDeliveryJob(
  trx: Trx,
  orgId: string,
  { id, userId, outcome, filters, maxDeliveries }: NewDeliveryJob,
): Promise<number> {
  const job = { org_id: orgId, id, user_id: userId, outcome, total: 0, ended_at: null };
  await trx.insertInto('delivery_jobs').values(job).execute();
  const found = filteredDeliveries(trx, orgId, filters)
    .where('status', '=', 'unknown')
    .select('id')
    .limit(maxDeliveries + 1);
  const { numAffectedRows = 0n } = await sql`
    insert into delivery_job_items (org_id, job_id, delivery_id)
    select ${orgId}::uuid, ${id}::uuid, found.id from (${found}) as found order by found.id
  `.execute(trx);
  const total = Number(numAffectedRows);
  await trx.updateTable('delivery_jobs').set({ total }).where('org_id', '=', orgId).where('id', '=', id).execute();
  return total;
}

export const findDeliveryJob = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('delivery_jobs')
    .select(['id', 'user_id', 'outcome', 'state', 'total', 'done', 'failed', 'created_at', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

export const listDeliveryJobErrors = (db: Db, orgId: string, jobId: string) =>
  db
    .selectFrom('delivery_job_items')
    .select((eb) => ['delivery_id as id', eb.ref('error').$notNull().as('error')])
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('error', 'is not', null)
    .orderBy('delivery_id')
    .limit(ERRORS_SHOWN)
    .execute();

/** Locks some deliveries of a job that are not done until the transaction ends. */
export async function lockNextDeliveries(trx: Trx, { orgId, jobId }: DeliveryJobRef): Promise<string[]> {
  const rows = await trx
    .selectFrom('delivery_job_items')
    .select('delivery_id')
    .where('org_id', '=', orgId)
    .where('job_id', '=', jobId)
    .where('is_done', '=', false)
    .orderBy('delivery_id')
    .limit(ITEMS_PER_BATCH)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(({ delivery_id }) => delivery_id);
}

/** Records deliveries of a job as done, with the counts of the job. `errors` has why some were left as they are. */
export async function settleItems(
  trx: Trx,
  { orgId, jobId }: DeliveryJobRef,
  { ids, errors }: { ids: string[]; errors: Map<string, string> },
): Promise<void> {
  await sql`
    with given as (
      select * from unnest(${ids}::uuid[], ${ids.map((id) => errors.get(id) ?? null)}::text[]) as given (id, error)
    ),
    settled as (
      update delivery_job_items as item set is_done = true, error = given.error from given
      where item.org_id = ${orgId} and item.job_id = ${jobId} and item.delivery_id = given.id
    )
    update delivery_jobs set done = done + ${ids.length}::integer, failed = failed + ${errors.size}::integer
    where org_id = ${orgId} and id = ${jobId}
  `.execute(trx);
}

/** Ends a job of which nothing is left. Returns the member who asked for it, if it was not ended before. */
export const endDeliveryJob = (trx: Trx, { orgId, jobId }: DeliveryJobRef) =>
  trx
    .updateTable('delivery_jobs')
    .set({ state: 'done', ended_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', jobId)
    .where('state', '=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('delivery_job_items as item')
            .select('item.delivery_id')
            .whereRef('item.org_id', '=', 'delivery_jobs.org_id')
            .whereRef('item.job_id', '=', 'delivery_jobs.id')
            .where('item.is_done', '=', false),
        ),
      ),
    )
    .returning('user_id')
    .executeTakeFirst();

/** Returns jobs of all orgs that have not ended. */
export async function listRunningDeliveryJobs(
  db: Db,
  after: DeliveryJobRef | undefined,
  limit: number,
): Promise<DeliveryJobRef[]> {
  const { rows } = await sql<DeliveryJobRef>`
    select org_id as "orgId", id as "jobId" from delivery_jobs
    where state = 'running'
      and ${behindInOrder(after?.orgId, after?.jobId, limit)}
  `.execute(db);
  return rows;
}

const RETENTION_DAYS = 30;
/** Belongs to a job that ended long ago. */
const IS_OLD = sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS})`;

/** Deletes some items of jobs that ended 30 days ago, or else some of these jobs. Returns the number of rows. */
export async function deleteOldDeliveryJobs(db: Db): Promise<number> {
  const items = await deleteSome(
    db,
    'delivery_job_items',
    sql`(org_id, job_id) in (select org_id, id from delivery_jobs where ${IS_OLD})`,
  );
  return items > 0 ? items : deleteSome(db, 'delivery_jobs', IS_OLD);
}
