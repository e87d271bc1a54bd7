import type { WorkflowContract } from '../../temporal/contract.ts';

export interface CalibrationInput {
  orgId: string;
}

/** Measures the confidence from which on quotes of an org's knowledge are given as answers. */
export const CALIBRATE_ANSWERS: WorkflowContract<CalibrationInput> = {
  type: 'calibrateAnswers',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `calibration/${orgId}`,
};

export interface CalibrationResult {
  questions: number;
  threshold: number;
}
