import type { WorkflowContract } from '../../temporal/contract.ts';

export interface SurveyRef {
  orgId: string;
  surveyId: string;
}

export const SEND_CSAT_SURVEY: WorkflowContract<SurveyRef> = {
  type: 'sendCsatSurvey',
  taskQueue: 'interactive',
  workflowId: ({ surveyId }) => `csat-survey/${surveyId}`,
};

/** What is left of a survey's delay. */
export interface SurveyProgress {
  /** The time until it is due. Null: nothing is left to do. */
  dueInMs: number | null;
}
