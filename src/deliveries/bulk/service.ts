import type { OtherJobs } from '../../conversations/bulk/jobs.port.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { ItemJobProgress } from '../../db/jobs/contract.ts';
import { progressOf } from '../../db/jobs/item-jobs.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { addNotifications } from '../../notifications/service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { DeliveryFilters } from '../ledger/schema.ts';
import { settleUnknownDeliveries } from '../queries.ts';
import { type DeliveryJobRef, SETTLE_DELIVERIES } from './contract.ts';
import { findDeliveryJob, insertDeliveryJob, jobsOfDeliveries } from './queries.ts';

export const { deleteOld: deleteOldDeliveryJobs, listRunning: listRunningDeliveryJobs } = jobsOfDeliveries;

const MAX_DELIVERIES = 50_000;
const DELIVERIES_PER_BATCH = 500;
const NOT_UNKNOWN = 'Only a delivery that is unknown can be settled by hand';

/** Who decides, and what. */
interface Decision {
  outcome: 'sent' | 'failed';
  /** The member who decides. Null for an API key. */
  userId: number | null;
}

/** Returns the command to settle what is left of a job. */
export const runDeliveryJob = (ref: DeliveryJobRef) =>
  signalWithStart(SETTLE_DELIVERIES, ref, WAKE, { subjectId: ref.jobId, summary: 'Settle unknown deliveries' });

/** Settles some deliveries by hand. Returns the outcome of each, in the given order. */
export async function settleDeliveriesByHand(db: Db, orgId: string, ids: string[], { outcome }: Decision) {
  const settled = new Set(await settleUnknownDeliveries(db, orgId, ids, outcome));
  return ids.map((id) => ({ id, ...(settled.has(id) ? {} : { error: NOT_UNKNOWN }) }));
}

/** Starts a job that settles the unknown deliveries found now. Throws conflict if there are too many. */
export function startDeliveryJob(db: Db, orgId: string, filters: DeliveryFilters, { outcome, userId }: Decision) {
  return inTransaction(db, async (trx) => {
    const id = newId();
    const total = await insertDeliveryJob(trx, orgId, { id, userId, outcome, filters, maxDeliveries: MAX_DELIVERIES });
    if (total > MAX_DELIVERIES)
      throw conflict(`The query finds more than ${MAX_DELIVERIES} deliveries: narrow it, by \`to\` for one`);
    await enqueue(trx, orgId, runDeliveryJob({ orgId, jobId: id }));
    return { job_id: id, total };
  });
}

/** The jobs of deliveries, as GET /jobs/{id} shows them. */
export const deliveryJobs: OtherJobs = {
  scope: 'sequences:read',
  async find(db, orgId, id) {
    const job = await findDeliveryJob(db, orgId, id);
    return job === undefined
      ? undefined
      : { ...job, errors: await jobsOfDeliveries.listErrors(db, { orgId, jobId: id }) };
  },
};

/**
 * Settles the next deliveries of a job, or ends the job. Deliveries are settled and recorded as done in one transaction:
 * once, however often the job is interrupted. Returns whether this process can do no more of it now.
 */
export const continueDeliveryJob = (db: Db, ref: DeliveryJobRef): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const job = await findDeliveryJob(trx, ref.orgId, ref.jobId);
    if (job === undefined || job.state === 'done') return true;
    const ids = await jobsOfDeliveries.lockNext(trx, ref, DELIVERIES_PER_BATCH);
    if (ids.length === 0) {
      await finishJob(trx, ref);
      return true;
    }
    const settled = new Set(await settleUnknownDeliveries(trx, ref.orgId, ids, job.outcome));
    const errors = new Map(ids.filter((id) => !settled.has(id)).map((id) => [id, NOT_UNKNOWN]));
    await jobsOfDeliveries.settle(trx, ref, { ids, errors });
    return false;
  });

/** Returns how far a job is. */
export const readDeliveryJobProgress = async (db: Db, { orgId, jobId }: DeliveryJobRef): Promise<ItemJobProgress> =>
  progressOf(await findDeliveryJob(db, orgId, jobId));

async function finishJob(trx: Trx, ref: DeliveryJobRef): Promise<void> {
  const ended = await jobsOfDeliveries.end(trx, ref);
  if (ended === undefined) return; // another process has its last deliveries, and the workflow looks again
  const members = ended.user_id === null ? [] : [ended.user_id];
  const data = { job_id: ref.jobId, of: 'deliveries' };
  await addNotifications(trx, ref.orgId, members, { kind: 'ended', sessionId: null, data });
}
