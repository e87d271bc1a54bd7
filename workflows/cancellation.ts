import { CancellationScope, isCancellation } from '@temporalio/workflow';

/** Runs a workflow. If it is canceled in Temporal, first records so, and then ends as canceled. */
export async function recordingCancellation<Result>(
  run: () => Promise<Result>,
  record: () => Promise<unknown>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(record);
    throw error;
  }
}
