import type { Db } from '../../src/db/connect.ts';
import type { ItemJobProgress } from '../../src/db/jobs/contract.ts';
import type { DeliveryJobRef } from '../../src/deliveries/bulk/contract.ts';
import { continueDeliveryJob, readDeliveryJobProgress } from '../../src/deliveries/bulk/service.ts';
import { repeatWithHeartbeats } from './repeating.ts';

export interface DeliveryJobActivityDeps {
  db: Db;
  /** Aborted when the worker shuts down: a batch then ends after its transaction. */
  stopping: AbortSignal;
}

export type DeliveryJobActivities = ReturnType<typeof createDeliveryJobActivities>;

export const createDeliveryJobActivities = ({ db, stopping }: DeliveryJobActivityDeps) => ({
  /** Settles some of the deliveries of a job. A second run continues after the first. */
  async continueDeliveryJob(job: DeliveryJobRef): Promise<ItemJobProgress> {
    await repeatWithHeartbeats(stopping, () => continueDeliveryJob(db, job));
    return readDeliveryJobProgress(db, job);
  },
});
