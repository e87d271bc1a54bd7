import type { WorkflowContract } from '../temporal/contract.ts';

export interface TaggingInput {
  orgId: string;
}

/** Learns an org's tags from the sessions that its people have tagged. */
export const LEARN_TAGS: WorkflowContract<TaggingInput> = {
  type: 'learnTags',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `tagging/${orgId}`,
};

export interface SuggestionInput {
  orgId: string;
  sessionId: string;
}

/** Asks the org's model which of the tags that nothing is learnt about a session may have. */
export const SUGGEST_TAGS: WorkflowContract<SuggestionInput> = {
  type: 'suggestTags',
  taskQueue: 'bulk',
  workflowId: ({ sessionId }) => `tag-suggestions/${sessionId}`,
};

export interface TaggingResult {
  sessions: number;
  /** The number of tags that are applied. */
  applied: number;
}
