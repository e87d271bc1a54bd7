import type { WorkflowContract } from '../../temporal/contract.ts';

export interface ExtractionInput {
  orgId: string;
  sessionId: string;
  /** The `seq` of the session's last event when it was requested. */
  number: number;
}

/** Extracts a customer's statements from a session, and assigns them to insights. Its history contains no text. */
export const EXTRACT_INSIGHTS: WorkflowContract<ExtractionInput> = {
  type: 'extractInsights',
  taskQueue: 'bulk',
  workflowId: ({ sessionId, number }) => `insight-extraction/${sessionId}/${number}`,
};

export interface ExtractionResult {
  /** A model, or `extractive-1`. */
  madeBy: string;
  statements: number;
}
