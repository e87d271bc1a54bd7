import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { itemJobs } from '../../db/jobs/item-jobs.ts';
import type { DeliveryFilters } from '../ledger/schema.ts';
import { filteredDeliveries } from '../queries.ts';

export const jobsOfDeliveries = itemJobs({ jobs: 'delivery_jobs', items: 'delivery_job_items', item: 'delivery_id' });

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
  const found = filteredDeliveries(trx, orgId, filters).where('status', '=', 'unknown').select('id');
  return jobsOfDeliveries.addItems(trx, { orgId, jobId: id }, sql<{ id: string }>`${found}`, maxDeliveries);
}

export const findDeliveryJob = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('delivery_jobs')
    .select(['id', 'user_id', 'outcome', 'state', 'total', 'done', 'failed', 'created_at', 'ended_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
