import type { WorkflowContract } from '../../temporal/contract.ts';

export interface SnoozeRef {
  orgId: string;
  sessionId: string;
}

export const WAKE_SNOOZED_SESSION: WorkflowContract<SnoozeRef> = {
  type: 'wakeSnoozedSession',
  taskQueue: 'interactive',
  workflowId: ({ sessionId }) => `snooze/${sessionId}`,
};

/** The state of a snooze. */
export interface SnoozeProgress {
  /** The time until its end. Null: the session is not snoozed until a time. */
  endsInMs: number | null;
}
