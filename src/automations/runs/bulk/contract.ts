import type { ItemJobRef } from '../../../db/jobs/contract.ts';
import type { WorkflowContract } from '../../../temporal/contract.ts';

export type RunJobRef = ItemJobRef;

/** Applies one action to many runs. */
export const CHANGE_RUNS: WorkflowContract<RunJobRef> = {
  type: 'changeRuns', // histories remember it: never rename
  taskQueue: 'bulk',
  workflowId: ({ jobId }) => `run-job/${jobId}`,
};
