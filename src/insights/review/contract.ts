import type { WorkflowContract } from '../../temporal/contract.ts';

export interface ReviewInput {
  orgId: string;
}

/** Learns the categories of an org's insights, gives them, and proposes merges. */
export const REVIEW_INSIGHTS: WorkflowContract<ReviewInput> = {
  type: 'reviewInsights',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `insight-review/${orgId}`,
};

export interface ReviewResult {
  /** The number of newly categorized insights. */
  categorized: number;
  /** The number of new proposals. */
  proposed: number;
}
