import type { WorkflowContract } from '../../temporal/contract.ts';

export interface SessionJobRef {
  orgId: string;
  jobId: string;
}

/** Applies one action to many sessions. */
export const RUN_SESSION_JOB: WorkflowContract<SessionJobRef> = {
  type: 'runSessionJob',
  taskQueue: 'bulk',
  workflowId: ({ jobId }) => `session-job/${jobId}`,
};

export interface SessionJobProgress {
  isEnded: boolean;
  done: number;
  failed: number;
}
