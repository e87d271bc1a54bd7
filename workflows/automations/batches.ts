import { CancellationScope, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { AutomationActivities } from '../../activities/automations.ts';
import type { BatchEnd, BatchInput } from '../../src/automations/runs/batches/contract.ts';
import { detailsOfBatch } from '../../src/automations/runs/batches/details.rules.ts';
import { DATABASE_BATCH, RUN_BATCH_OPTIONS } from '../activity-options.ts';

const { runBatch } = proxyActivities<AutomationActivities>({
  ...RUN_BATCH_OPTIONS,
  summary: 'execute the runs of the batch',
});
const { releaseBatch } = proxyActivities<AutomationActivities>({
  ...DATABASE_BATCH,
  summary: 'release the runs of the stopped batch',
});

/** Does short runs of an org together. If it is canceled, its runs are left to others. */
export async function runAutomationBatch(input: BatchInput): Promise<BatchEnd> {
  const batch = { orgId: input.orgId, batchId: input.batchId };
  setCurrentDetails(detailsOfBatch(input));
  try {
    const end = await runBatch(batch);
    setCurrentDetails(detailsOfBatch(input, end));
    return end;
  } catch (error) {
    await CancellationScope.nonCancellable(() => releaseBatch(batch));
    throw error;
  }
}
