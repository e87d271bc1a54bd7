import type { WorkflowContract } from '../../temporal/contract.ts';

export interface SummaryRef {
  orgId: string;
  sessionId: string;
  occasion: 'handoff' | 'resolution';
}

/** Asks the org's model for the summary of a handoff or a resolution. */
export const SUMMARIZE_SESSION: WorkflowContract<SummaryRef> = {
  type: 'summarizeSession',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, occasion }) => `summary/${sessionId}/${occasion}`,
};

/** The outcome of a summary: written by a model, or left as it is. */
export type SummaryResult = 'by_model' | 'sentiment_only' | 'nothing_usable' | 'over_budget' | 'down' | 'not_due';
