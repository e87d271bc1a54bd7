import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import type { Embedder } from '../src/embedder/embedder.ts';
import { useInstalledModel, useNoModel } from '../src/knowledge/embedding/maintenance.service.ts';
import { runPeriodically } from './periodically.ts';

const INTERVAL_MS = 2_000;

/**
 * Has the knowledge embedded by the model that comes with the product, once its files are there: they may be fetched while
 * the worker runs. Retries while the database is away. The returned function stops it.
 */
export function startUsingModel(
  { EMBEDDING_MODEL }: Pick<Config, 'EMBEDDING_MODEL'>,
  { db, embedder, log }: { db: Db; embedder: Embedder; log: Pick<FastifyBaseLogger, 'info' | 'warn'> },
): () => void {
  const isWanted = EMBEDDING_MODEL !== 'none';
  let isRecorded = false;
  const record = async () => {
    if (isRecorded || (isWanted && !embedder.isAvailable())) return;
    if (isWanted) await useInstalledModel(db, embedder.model);
    else await useNoModel(db);
    isRecorded = true;
    if (isWanted)
      log.info({ model: embedder.model }, 'questions are compared with the knowledge by the embedding model');
  };
  if (isWanted && !embedder.isAvailable())
    log.warn(
      'the embedding model is not there: `npm run models` fetches it; until then, questions are compared by words',
    );
  const failure = 'the embedding model could not be recorded; retrying';
  return runPeriodically(record, { intervalMs: INTERVAL_MS, beginsAtOnce: true, failure, log });
}
