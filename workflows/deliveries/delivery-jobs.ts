import { condition, continueAsNew, proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { DeliveryJobActivities } from '../../activities/jobs/delivery-jobs.ts';
import type { DeliveryJobRef } from '../../src/deliveries/bulk/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { SEND_BATCH } from '../activity-options.ts';
import { countSignals } from '../signals.ts';

/** The pause before a job is continued of which another process has the last deliveries. */
const PAUSE_MS = 1_000;

const { continueDeliveryJob } = proxyActivities<DeliveryJobActivities>({
  ...SEND_BATCH,
  summary: 'settle unknown deliveries',
});

/** Settles all deliveries of a job, batch after batch. */
export async function settleDeliveries(job: DeliveryJobRef): Promise<void> {
  const signals = countSignals(WAKE);
  for (let before = -1; ; ) {
    const { isEnded, done, failed } = await continueDeliveryJob(job);
    setCurrentDetails(`${done} deliveries are done, ${failed} of them had a known outcome.`);
    if (isEnded) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof settleDeliveries>(job);
    const seen = signals();
    if (done === before)
      await condition(() => signals() > seen, PAUSE_MS, { summary: 'waiting for its last deliveries' });
    before = done;
  }
}
