import type { Generated } from 'kysely';

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
    knowledge_embeddings: KnowledgeEmbeddingsTable;
  }
}
