import { CancellationScope, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { AutomationActivities } from '../../activities/automations.ts';
import type { BatchEnd, BatchInput } from '../../src/automations/runs/batches/contract.ts';
import { DATABASE_BATCH, RUN_BATCH_OPTIONS } from '../activity-options.ts';

const { runBatch } = proxyActivities<AutomationActivities>({
  ...RUN_BATCH_OPTIONS,
  summary: 'do the runs of the batch',
});
const { releaseBatch } = proxyActivities<AutomationActivities>({
  ...DATABASE_BATCH,
  summary: 'release the runs of the stopped batch',
});

/** Does short runs of an org together. If it is canceled, its runs are left to others. */
export async function runAutomationBatch({ runs, ...batch }: BatchInput): Promise<BatchEnd> {
  setCurrentDetails(`${runs} runs of the org ${batch.orgId}`);
  try {
    const end = await runBatch(batch);
    setCurrentDetails(
      `${runs} runs of the org ${batch.orgId}: ${end.ended} have ended, ${end.left} go on in workflows of their own, ${end.queued} wait for another batch`,
    );
    return end;
  } catch (error) {
    await CancellationScope.nonCancellable(() => releaseBatch(batch));
    throw error;
  }
}
