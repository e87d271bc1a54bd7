import type { SessionJobRef } from '../../src/conversations/bulk/contract.ts';
import { continueJob, readProgress } from '../../src/conversations/bulk/service.ts';
import type { Db } from '../../src/db/connect.ts';
import type { ItemJobProgress } from '../../src/db/jobs/contract.ts';
import { repeatWithHeartbeats } from './repeating.ts';

export interface SessionJobActivityDeps {
  db: Db;
  /** Aborted when the worker shuts down: a batch then ends after its transaction. */
  stopping: AbortSignal;
}

export type SessionJobActivities = ReturnType<typeof createSessionJobActivities>;

export const createSessionJobActivities = ({ db, stopping }: SessionJobActivityDeps) => ({
  /** Applies the action of a job to some of its sessions. A second run continues after the first. */
  async continueSessionJob(job: SessionJobRef): Promise<ItemJobProgress> {
    await repeatWithHeartbeats(stopping, () => continueJob(db, job));
    return readProgress(db, job);
  },
});
