import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../src/db/connect.ts';
import { repair } from '../src/repair/repair.ts';
import { runPeriodically } from './periodically.ts';

const INTERVAL_MS = 10 * 60_000;

/** Compares rows in progress with Temporal periodically, while it is connected. The returned function stops it. */
export function startRepair(
  db: Db,
  temporal: () => Client | undefined,
  log: Pick<FastifyBaseLogger, 'warn'>,
): () => void {
  const compare = async () => {
    const client = temporal();
    if (client === undefined) return;
    for (const mismatch of await repair(db, client, { isDryRun: false }))
      log.warn(
        mismatch,
        mismatch.error === undefined
          ? 'a row in progress had no workflow in Temporal'
          : 'a row in progress has no workflow in Temporal, and could not be mended; it will be retried later',
      );
  };
  const failure = 'the comparison with Temporal failed; it will be retried later';
  return runPeriodically(compare, { intervalMs: INTERVAL_MS, failure, log });
}
