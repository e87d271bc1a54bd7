import type { WorkflowContract } from '../../temporal/contract.ts';

export interface HandoffHoldRef {
  orgId: string;
  sessionId: string;
  holdId: string;
}

/** Has a handoff wait for the workflows that are to run before it. */
export const HOLD_HANDOFF: WorkflowContract<HandoffHoldRef> = {
  type: 'holdHandoff',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, holdId }) => `handoff-hold/${sessionId}/${holdId}`,
};

/** What the operator reads of it. */
export const handoffHoldSubject = (sessionId: string) => ({
  subjectId: sessionId,
  summary: 'Workflows that run before a handoff',
});
