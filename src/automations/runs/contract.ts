import type { WorkflowContract } from '../../temporal/contract.ts';

/** What a run does next. */
export type NextStep =
  | { kind: 'action'; place: string; title: string; attempts: number }
  | { kind: 'wait'; place: string; title: string; ms: number }
  | { kind: 'wait-for-event'; place: string; title: string; ms: number }
  /** Only decisions lie there: go on from this place. */
  | { kind: 'continue'; place: string }
  /** A step failed, and with it the run. */
  | { kind: 'failed'; error: string }
  | { kind: 'end' };

export interface RunRef {
  orgId: string;
  runId: string;
}

export interface RunInput extends RunRef {
  next: NextStep;
}

/** Does the steps of a customer's workflow. */
export const RUN_AUTOMATION: WorkflowContract<RunInput> = {
  type: 'runAutomation',
  taskQueue: 'interactive',
  workflowId: ({ runId }) => `workflow-run/${runId}`,
};
