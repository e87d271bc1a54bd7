import type { WorkflowContract } from '../../temporal/contract.ts';

export interface EmbeddingInput {
  orgId: string;
}

/** Embeds the chunks of an org that lack a vector of its model. */
export const EMBED_KNOWLEDGE: WorkflowContract<EmbeddingInput> = {
  type: 'embedKnowledge',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `knowledge-embedding/${orgId}`,
};

/** Start of the next batch. null: nothing was left. */
export interface EmbeddingProgress {
  after: number | null;
}
