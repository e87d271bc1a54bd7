import type { WorkflowContract } from '../../../temporal/contract.ts';

export interface BatchRef {
  orgId: string;
  batchId: string;
}

export interface BatchInput extends BatchRef {
  /** The number of its runs. */
  runs: number;
  /** What the runs are, for its details. */
  content: BatchContent;
}

/** The runs of a batch, as its details show them. */
export interface BatchContent {
  /** The smallest id of its runs. */
  first: string;
  /** The greatest id of its runs. */
  last: string;
  /** The workflows with the most runs, at most 20. */
  workflows: WorkflowOfBatch[];
  /** The number of its other workflows. */
  others: number;
}

export interface WorkflowOfBatch {
  id: string;
  name: string;
  runs: number;
}

/** The results of the runs of a batch. */
export interface BatchEnd {
  /** Completed, failed or canceled. */
  ended: number;
  /** The ids of those that have failed. */
  failed: string[];
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
