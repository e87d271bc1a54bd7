import type { WorkflowContract } from '../../temporal/contract.ts';

export interface CalibrationInput {
  orgId: string;
}

/** Measures the lowest confidence for answers by quotes of an org's knowledge. */
export const CALIBRATE_ANSWERS: WorkflowContract<CalibrationInput> = {
  type: 'calibrateAnswers',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `calibration/${orgId}`,
};

export interface CalibrationResult {
  questions: number;
  threshold: number;
}
