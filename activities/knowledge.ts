import { Context, log } from '@temporalio/activity';
import { requestCalibrationWithVectors } from '../src/ai/calibration/service.ts';
import type { Db } from '../src/db/connect.ts';
import type { EmbeddingInput, EmbeddingProgress } from '../src/knowledge/embedding/contract.ts';
import { type Embed, embedNextBatch } from '../src/knowledge/embedding/service.ts';
import type { ConnectionCalls } from '../src/orgs/integrations/calls.service.ts';
import type { HttpClient } from '../src/providers/egress/egress.ts';
import { embedTexts } from '../src/providers/llm/embeddings.ts';
import type { Secrets } from '../src/secrets.ts';

const TIMEOUT_MS = 60_000;

export interface KnowledgeActivityDeps {
  db: Db;
  secrets: Secrets;
  /** For requests to addresses set by customers. */
  egress: HttpClient;
  calls: ConnectionCalls;
}

export type KnowledgeActivities = ReturnType<typeof createKnowledgeActivities>;

export const createKnowledgeActivities = ({ db, secrets, egress, calls }: KnowledgeActivityDeps) => ({
  /**
   * Creates the missing vectors of a batch of chunks with the org's model. Chunks with a vector are skipped. The first
   * time that none is missing, answers are calibrated with vectors.
   */
  embedChunks: async ({ orgId, after, size }: EmbeddingInput & { after: number }): Promise<EmbeddingProgress> => {
    const context = Context.current();
    const { cancellationSignal, info } = context;
    const embed: Embed = async (model, texts) => {
      cancellationSignal.throwIfAborted();
      const client = calls.observe(egress, { orgId, kind: 'llm', settings: model });
      return embedTexts(client, model, texts, { inputType: 'passage', timeoutMs: TIMEOUT_MS });
    };
    const progress = await embedNextBatch(db, { secrets, embed, pause: (ms) => context.sleep(ms) }, orgId, {
      ...{ after, size },
      attempt: info.attempt,
    });
    for (const { chunkId } of progress.leftOut ?? []) log.warn('a passage got no vector', { orgId, chunkId });
    if (progress.after === null) await requestCalibrationWithVectors(db, orgId);
    return progress;
  },
});
