import type { WorkflowContract } from '../../../temporal/contract.ts';

export interface RunJobRef {
  orgId: string;
  jobId: string;
}

/** Applies one action to many runs. */
export const CHANGE_RUNS: WorkflowContract<RunJobRef> = {
  type: 'changeRuns', // histories remember it: never rename
  taskQueue: 'bulk',
  workflowId: ({ jobId }) => `run-job/${jobId}`,
};

export interface RunJobProgress {
  isEnded: boolean;
  done: number;
  failed: number;
}
