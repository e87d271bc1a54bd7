import type { WorkflowContract } from '../../temporal/contract.ts';

export interface TaggingInput {
  orgId: string;
}

/** Learns an org's tags from the sessions that its people have tagged. */
export const LEARN_TAGS: WorkflowContract<TaggingInput> = {
  type: 'learnTags',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `tagging/${orgId}`,
};

export interface TaggingResult {
  sessions: number;
  /** The number of tags that are applied. */
  applied: number;
}
