import { Context } from '@temporalio/activity';
import type { Db } from '../../src/db/connect.ts';
import { repeatForSeconds } from '../../src/db/deletion.ts';
import type { DeliveryJobProgress, DeliveryJobRef } from '../../src/deliveries/bulk/contract.ts';
import { continueDeliveryJob, readDeliveryJobProgress } from '../../src/deliveries/bulk/service.ts';

export interface DeliveryJobActivityDeps {
  db: Db;
  /** Aborted when the worker shuts down: a batch then ends after its transaction. */
  stopping: AbortSignal;
}

export type DeliveryJobActivities = ReturnType<typeof createDeliveryJobActivities>;

export const createDeliveryJobActivities = ({ db, stopping }: DeliveryJobActivityDeps) => ({
  /** Settles some of the deliveries of a job. A second run continues after the first. */
  async continueDeliveryJob(job: DeliveryJobRef): Promise<DeliveryJobProgress> {
    const isStopped = () => stopping.aborted || Context.current().cancellationSignal.aborted;
    await repeatForSeconds(isStopped, () => {
      Context.current().heartbeat();
      return continueDeliveryJob(db, job);
    });
    return readDeliveryJobProgress(db, job);
  },
});
