import { Context, log } from '@temporalio/activity';
import { deleteVectorThreshold } from '../src/ai/calibration/queries.ts';
import { requestCalibrationWithVectors } from '../src/ai/calibration/service.ts';
import type { Db } from '../src/db/connect.ts';
import type { EmbeddingInput, EmbeddingProgress } from '../src/knowledge/embedding/contract.ts';
import { findKnowledgeModel, type KnowledgeModelDeps } from '../src/knowledge/embedding/models.ts';
import { embedNextBatch } from '../src/knowledge/embedding/service.ts';

export interface KnowledgeActivityDeps extends KnowledgeModelDeps {
  db: Db;
}

export type KnowledgeActivities = ReturnType<typeof createKnowledgeActivities>;

export const createKnowledgeActivities = ({ db, ...deps }: KnowledgeActivityDeps) => ({
  /**
   * Creates the missing vectors of a batch of chunks with the org's model. Chunks with a vector are skipped. The first
   * time that none is missing, answers are calibrated with vectors.
   */
  embedChunks: async ({ orgId, after, size }: EmbeddingInput & { after: number }): Promise<EmbeddingProgress> => {
    const context = Context.current();
    const { cancellationSignal: signal, info } = context;
    const progress = await embedNextBatch(
      db,
      {
        findModel: (...org) => findKnowledgeModel(...org, deps),
        signal,
        pause: (ms) => context.sleep(ms),
        onSwitch: deleteVectorThreshold,
      },
      orgId,
      { after, size, attempt: info.attempt },
    );
    for (const { chunkId } of progress.leftOut ?? []) log.warn('a passage got no vector', { orgId, chunkId });
    if (progress.after === null) await requestCalibrationWithVectors(db, orgId);
    return progress;
  },
});
