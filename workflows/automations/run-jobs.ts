import { condition, continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RunJobActivities } from '../../activities/jobs/run-jobs.ts';
import type { RunJobRef } from '../../src/automations/runs/bulk/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';
import { countSignals } from '../signals.ts';

/** The pause before a job is continued of which another process has the last runs. */
const PAUSE_MS = 1_000;

const { continueRunJob } = proxyActivities<RunJobActivities>({ ...SEND_BATCH, summary: 'change runs' });

/** Applies the action of a job to all its runs, batch after batch. */
export async function changeRuns(job: RunJobRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (let before = -1; ; ) {
    const { isEnded, done, failed } = await continueRunJob(job);
    setCurrentDetails(`${done} runs are done, ${failed} of them refused the change.`);
    if (isEnded) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof changeRuns>(job);
    const seen = signals();
    if (done === before) await condition(() => signals() > seen, PAUSE_MS, { summary: 'waiting for its last runs' });
    before = done;
  }
}
