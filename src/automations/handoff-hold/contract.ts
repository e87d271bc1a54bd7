import type { WorkflowContract } from '../../temporal/contract.ts';

export interface HandoffHoldRef {
  orgId: string;
  sessionId: string;
  holdId: string;
}

/** Holds a handoff until the workflow runs before it have ended. */
export const HOLD_HANDOFF: WorkflowContract<HandoffHoldRef> = {
  type: 'holdHandoff',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, holdId }) => `handoff-hold/${sessionId}/${holdId}`,
};

/** The label of the workflow for operators. */
export const handoffHoldSubject = (sessionId: string) => ({
  subjectId: sessionId,
  summary: 'Wait for workflows before a handoff',
});
