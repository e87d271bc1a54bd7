import type { RunJobRef } from '../../src/automations/runs/bulk/contract.ts';
import { continueRunJob, type RunJobDeps, readRunJobProgress } from '../../src/automations/runs/bulk/service.ts';
import type { ItemJobProgress } from '../../src/db/jobs/contract.ts';
import { repeatWithHeartbeats } from './repeating.ts';

export interface RunJobActivityDeps extends RunJobDeps {
  /** Aborted when the worker shuts down: a batch then ends after its transaction. */
  stopping: AbortSignal;
}

export type RunJobActivities = ReturnType<typeof createRunJobActivities>;

export const createRunJobActivities = ({ db, secrets, stopping }: RunJobActivityDeps) => ({
  /** Applies the action of a job to some of its runs. A second run continues after the first. */
  async continueRunJob(job: RunJobRef): Promise<ItemJobProgress> {
    await repeatWithHeartbeats(stopping, () => continueRunJob({ db, secrets }, job));
    return readRunJobProgress(db, job);
  },
});
