import type { WorkflowContract } from '../../temporal/contract.ts';

export interface ExtractionInput {
  orgId: string;
  sessionId: string;
  /** The `seq` of the session's last event when it was requested. */
  number: number;
}

/** Finds out what a customer said in a session, and which insights it belongs to. Its history contains no text. */
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
