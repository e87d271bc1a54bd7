import type { ItemJobRef } from '../../db/jobs/contract.ts';
import type { WorkflowContract } from '../../temporal/contract.ts';

export type SessionJobRef = ItemJobRef;

/** Applies one action to many sessions. */
export const RUN_SESSION_JOB: WorkflowContract<SessionJobRef> = {
  type: 'runSessionJob',
  taskQueue: 'bulk',
  workflowId: ({ jobId }) => `session-job/${jobId}`,
};
