import type { Generated } from 'kysely';

export interface KnowledgeEmbeddingsTable {
  org_id: string;
  chunk_id: number;
  model: string;
  vector: Buffer;
  /** The id of the transaction that wrote it, as text. */
  xid: Generated<string>;
}

declare module '../../db/database.ts' {
  interface Database {
    knowledge_embeddings: KnowledgeEmbeddingsTable;
  }
}
