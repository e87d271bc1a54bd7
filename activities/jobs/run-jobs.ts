import { Context } from '@temporalio/activity';
import type { RunJobProgress, RunJobRef } from '../../src/automations/runs/bulk/contract.ts';
import { continueRunJob, type RunJobDeps, readRunJobProgress } from '../../src/automations/runs/bulk/service.ts';
import { repeatForSeconds } from '../../src/db/deletion.ts';

export interface RunJobActivityDeps extends RunJobDeps {
  /** Aborted when the worker shuts down: a batch then ends after its transaction. */
  stopping: AbortSignal;
}

export type RunJobActivities = ReturnType<typeof createRunJobActivities>;

export const createRunJobActivities = ({ db, secrets, stopping }: RunJobActivityDeps) => ({
  /** Applies the action of a job to some of its runs. A second run continues after the first. */
  async continueRunJob(job: RunJobRef): Promise<RunJobProgress> {
    const isStopped = () => stopping.aborted || Context.current().cancellationSignal.aborted;
    await repeatForSeconds(isStopped, () => {
      Context.current().heartbeat();
      return continueRunJob({ db, secrets }, job);
    });
    return readRunJobProgress(db, job);
  },
});
