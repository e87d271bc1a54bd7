import type { WorkflowContract } from '../temporal/contract.ts';

export interface GateRef {
  orgId: string;
  sessionId: string;
  gateId: string;
}

/** Has a handoff wait for the workflows that are to run before it. */
export const HOLD_HANDOFF: WorkflowContract<GateRef> = {
  type: 'holdHandoff',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, gateId }) => `pre-handoff/${sessionId}/${gateId}`,
};

/** What the operator reads of it. */
export const gateSubject = (sessionId: string) => ({
  subjectId: sessionId,
  summary: 'What is to run before a handoff',
});

/** A run that was waited for has ended: look. */
export const RUN_ENDED = 'run-ended';
