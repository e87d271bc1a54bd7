import type { WorkflowContract } from '../../../temporal/contract.ts';

export interface BatchRef {
  orgId: string;
  batchId: string;
}

export interface BatchInput extends BatchRef {
  /** The number of its runs. */
  runs: number;
}

/** What became of the runs of a batch. */
export interface BatchEnd {
  ended: number;
  /** They go on in workflows of their own. */
  left: number;
  /** They wait again, for a later batch. */
  queued: number;
}

/** Does short runs of an org together, up to the first wait, retry or failure of each. */
export const RUN_BATCH: WorkflowContract<BatchInput> = {
  type: 'runAutomationBatch',
  taskQueue: 'interactive',
  workflowId: ({ batchId }) => workflowIdOfBatch(batchId),
};

/** Returns the id of a batch's workflow. */
export const workflowIdOfBatch = (batchId: string): string => `workflow-run-batch/${batchId}`;
