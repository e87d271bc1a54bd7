import type { WorkflowContract } from '../../temporal/contract.ts';

/** The next step of a run, as Temporal stores it. */
export type NextStep =
  | { kind: 'action'; place: string; title: string; attempts: number }
  | { kind: 'wait'; place: string; title: string; ms: number }
  | { kind: 'wait-for-event'; place: string; title: string; ms: number }
  /** Only blocks to evaluate: continue after this step. */
  | { kind: 'continue'; place: string }
  /** A step failed, and the run with it. */
  | { kind: 'failed'; error: string }
  | { kind: 'end' };

export interface RunRef {
  orgId: string;
  runId: string;
}

export interface RunInput extends RunRef {
  next: NextStep;
}

/** Runs the steps of a customer's workflow. */
export const RUN_AUTOMATION: WorkflowContract<RunInput> = {
  type: 'runAutomation',
  taskQueue: 'interactive',
  workflowId: ({ runId }) => `workflow-run/${runId}`,
};
