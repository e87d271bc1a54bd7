import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import type { Embedder } from '../src/embedder/embedder.ts';
import { useInstalledModel, useNoModel } from '../src/knowledge/embedding/maintenance.service.ts';

const INTERVAL_MS = 2_000;

/**
 * Has the knowledge embedded by the model that comes with the product, once its files are there: they may be fetched while
 * the worker runs. Retries while the database is away. The returned function stops it.
 */
export function startUsingModel(
  config: Pick<Config, 'EMBEDDING_MODEL'>,
  { db, embedder, log }: { db: Db; embedder: Embedder; log: Pick<FastifyBaseLogger, 'info' | 'warn'> },
): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const record = async () => {
    if (config.EMBEDDING_MODEL === 'none') return useNoModel(db);
    if (!embedder.isAvailable())
      log.warn(
        'the embedding model is not there: `npm run models` fetches it; until then, questions are compared by words',
      );
    while (!embedder.isAvailable()) await sleep(INTERVAL_MS, undefined, { signal, ref: false });
    await useInstalledModel(db, embedder.model);
    log.info({ model: embedder.model }, 'questions are compared with the knowledge by the embedding model');
  };
  const untilRecorded = async () => {
    while (!signal.aborted) {
      try {
        return await record();
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'the embedding model could not be recorded; retrying');
        await sleep(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  };
  void untilRecorded();
  return () => stopping.abort();
}
