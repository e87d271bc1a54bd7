import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../src/db/connect.ts';
import { purgeDeletedMedia } from '../src/media/service.ts';
import type { Storage } from '../src/providers/storage/port.ts';
import { runPeriodically } from './periodically.ts';

const INTERVAL_MS = 10 * 60_000;

/** Deletes the bytes of deleted, expired and unclaimed files from time to time. The returned function stops it. */
export function startFilePurge(db: Db, storage: Storage, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  const failure = 'deleted files could not be removed from the storage; it is tried again';
  return runPeriodically(() => purgeDeletedMedia(db, storage), { intervalMs: INTERVAL_MS, failure, log });
}
