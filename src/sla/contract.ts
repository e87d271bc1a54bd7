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

/** What a look at a session's clocks found. */
export interface SlaProgress {
  /** What comes next, such as "first reply due", and the time until then. Null where no clock runs towards anything. */
  next: { what: string; inMs: number } | null;
  /** For the operator: how each clock stands. */
  details: string;
}
