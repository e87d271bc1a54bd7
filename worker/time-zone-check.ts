import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import { findTimeZoneDifferences } from '../src/cli/doctor/time-zone-differences.ts';
import type { Db } from '../src/db/connect.ts';

/**
 * Returns a function that warns of each time zone in use for which Node, Postgres and Temporal have different clocks. It
 * does so once, however often it is called, or again if they could not be compared. It never throws.
 */
export function createTimeZoneCheck(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): (client: Client) => Promise<void> {
  let isDone = false;
  return async (client) => {
    if (isDone) return;
    isDone = true;
    try {
      for (const difference of await findTimeZoneDifferences(db, client, new Date()))
        log.warn(difference, 'the time zone databases differ: see docs/operations.md');
    } catch (error) {
      isDone = false;
      log.warn({ err: error }, 'the time zone databases could not be compared');
    }
  };
}
