import type { WorkflowContract } from '../../temporal/contract.ts';

export interface EmbeddingInput {
  orgId: string;
  /** Goes on after this chunk. Absent: begins with the first one. */
  after?: number;
  /** How many chunks the provider gets at once. */
  size?: number | undefined;
}

/** Embeds the chunks of an org that lack a vector of its model. */
export const EMBED_KNOWLEDGE: WorkflowContract<EmbeddingInput> = {
  type: 'embedKnowledge',
  taskQueue: 'bulk',
  workflowId: ({ orgId }) => `knowledge-embedding/${orgId}`,
};

export interface EmbeddingProgress {
  /** Start of the next batch. null: nothing was left. */
  after: number | null;
  /** Its size. */
  size?: number;
  /** The chunks of this batch that got no vector, and why. */
  leftOut?: { chunkId: number; reason: string }[];
}
