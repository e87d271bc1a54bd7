import type { Db } from '../src/db/connect.ts';
import type { EmbeddingInput, EmbeddingProgress } from '../src/knowledge/embedding/contract.ts';
import { embedNextBatch } from '../src/knowledge/embedding/service.ts';
import type { HttpClient } from '../src/providers/egress/egress.ts';
import { embedTexts } from '../src/providers/llm/embeddings.ts';
import type { Secrets } from '../src/secrets.ts';

const TIMEOUT_MS = 60_000;

export interface KnowledgeActivityDeps {
  db: Db;
  secrets: Secrets;
  /** To addresses that customers name. */
  egress: HttpClient;
}

export type KnowledgeActivities = ReturnType<typeof createKnowledgeActivities>;

export const createKnowledgeActivities = ({ db, secrets, egress }: KnowledgeActivityDeps) => ({
  /** Has the org's model make the vectors of a batch of chunks that have none. Those that have are not asked for again. */
  embedChunks: ({ orgId, after }: EmbeddingInput & { after: number }): Promise<EmbeddingProgress> =>
    embedNextBatch(db, secrets, (model, texts) => embedTexts(egress, model, texts, TIMEOUT_MS), orgId, after),
});
