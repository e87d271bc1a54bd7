import type { WorkflowContract } from '../temporal/contract.ts';

export interface SlaRef {
  orgId: string;
  sessionId: string;
}

export const WATCH_SLA: WorkflowContract<SlaRef> = {
  type: 'watchSla',
  taskQueue: 'interactive',
  workflowId: ({ sessionId }) => `sla/${sessionId}`,
};

/** The result of an evaluation of a session's clocks. */
export interface SlaProgress {
  /** The next moment, such as "first reply due", and the time until then. Null if no clock runs towards a target. */
  next: { what: string; inMs: number } | null;
  /** The state of each clock, for the operator. */
  details: string;
}
