import { condition, continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SessionJobActivities } from '../activities/jobs/session-jobs.ts';
import type { SessionJobRef } from '../src/conversations/bulk/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { SEND_BATCH } from './activity-options.ts';
import { countSignals } from './signals.ts';

/** The pause before a job is continued of which another process has the last sessions. */
const PAUSE_MS = 1_000;

const { continueSessionJob } = proxyActivities<SessionJobActivities>({ ...SEND_BATCH, summary: 'change sessions' });

/** Applies the action of a job to all its sessions, batch after batch. */
export async function runSessionJob(job: SessionJobRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (let before = -1; ; ) {
    const { isEnded, done, failed } = await continueSessionJob(job);
    setCurrentDetails(`${done} sessions are done, ${failed} of them refused the change.`);
    if (isEnded) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof runSessionJob>(job);
    const seen = signals();
    if (done === before)
      await condition(() => signals() > seen, PAUSE_MS, { summary: 'waiting for its last sessions' });
    before = done;
  }
}
