import type { ColumnType, Generated } from 'kysely';

/** What has to be the same so that a connected model's vectors of a question and of passages can be compared. */
export interface ModelSource {
  base_url?: string | undefined;
  embedding_model: string;
  embedding_input_type: boolean;
}

/** The model whose vectors an org's questions are compared with: it has embedded all of the org's knowledge once. */
export interface KnowledgeSearchedModelsTable {
  org_id: string;
  model: string;
  /** Null for the model that comes with the product. */
  source: ColumnType<ModelSource | null, string | null, string | null>;
  since: Generated<Date>;
}

/** The models that come with the product and that a worker has. */
export interface InstalledModelsTable {
  name: string;
  installed_at: Generated<Date>;
}

export interface KnowledgeEmbeddingsTable {
  org_id: string;
  chunk_id: number;
  model: string;
  /** Empty if the chunk was left out. */
  vector: Buffer;
  /** When and why the chunk was left out. */
  refused_at: Date | null;
  refusal: string | null;
  /** The position of the transaction that wrote it, as text. */
  xid: Generated<string>;
}

declare module '../../db/database.ts' {
  interface Database {
    installed_models: InstalledModelsTable;
    knowledge_embeddings: KnowledgeEmbeddingsTable;
    knowledge_searched_models: KnowledgeSearchedModelsTable;
  }
}
