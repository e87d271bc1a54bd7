import type { WorkflowContract } from '../../temporal/contract.ts';

/** The next step of a run, as Temporal stores it. */
export type NextStep =
  /**
   * `delayMs`: until the next attempt, after one that failed. `failure`: the error of the last attempt, not recorded
   * yet.
   */
  | { kind: 'action'; path: string; title: string; attempts: number; delayMs?: number; failure?: string }
  | { kind: 'wait'; path: string; title: string; ms: number }
  | { kind: 'wait-for-event'; path: string; title: string; ms: number }
  /** Only blocks to evaluate: continue after this step. */
  | { kind: 'continue'; path: string }
  /** A step failed, and the run with it. */
  | { kind: 'failed'; error: string }
  | { kind: 'end' };

export type NextAction = Extract<NextStep, { kind: 'action' }>;

export interface RunRef {
  orgId: string;
  runId: string;
}

export interface RunInput extends RunRef {
  next: NextStep;
  /** The first steps go as far as they can in one local activity. Absent in runs that began before this was possible. */
  isAtOnce?: true;
}

/** Runs the steps of a customer's workflow. */
export const RUN_AUTOMATION: WorkflowContract<RunInput> = {
  type: 'runAutomation',
  taskQueue: 'interactive',
  workflowId: ({ runId }) => workflowIdOfRun(runId),
};

/** Returns the subject of a run's own workflow. `name` is that of the customer's workflow. */
export const subjectOfRun = (runId: string, name: string) => ({ subjectId: runId, summary: name.slice(0, 200) });

/** Returns the id of a run's own workflow. */
export const workflowIdOfRun = (runId: string): string => `workflow-run/${runId}`;
