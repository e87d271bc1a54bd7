import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../src/db/connect.ts';
import { findTimeZoneDifferences } from './time-zone-differences.ts';

/** Warns of each time zone in use for which Node, Postgres and Temporal have different clocks. Never throws. */
export async function checkTimeZones(db: Db, client: Client, log: Pick<FastifyBaseLogger, 'warn'>): Promise<void> {
  try {
    for (const difference of await findTimeZoneDifferences(db, client, new Date()))
      log.warn(difference, 'the time zone databases differ: see docs/operations.md');
  } catch (error) {
    log.warn({ err: error }, 'the time zone databases could not be compared');
  }
}
