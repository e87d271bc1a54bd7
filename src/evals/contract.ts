import type { WorkflowContract } from '../temporal/contract.ts';

export interface EvalRunRef {
  orgId: string;
  runId: string;
}

/** Runs the cases of an org's eval run, batch by batch. */
export const RUN_EVALS: WorkflowContract<EvalRunRef> = {
  type: 'runEvals',
  taskQueue: 'bulk',
  workflowId: ({ runId }) => `eval-run/${runId}`,
};

export interface EvalProgress {
  cases: number;
  passed: number;
  failed: number;
  /** Whether no case is left to run: all were run, or the run was canceled. */
  isOver: boolean;
}
