import type { WorkflowContract } from '../../temporal/contract.ts';

export interface EmbeddingInput {
  orgId: string;
}

/** Has the vectors made of an org's chunks that have none of its model. */
export const EMBED_KNOWLEDGE: WorkflowContract<EmbeddingInput> = {
  type: 'embedKnowledge',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `knowledge-embedding/${orgId}`,
};

/** Where the next batch goes on. null: there was nothing left. */
export interface EmbeddingProgress {
  after: number | null;
}
