import type { Db } from '../../db/connect.ts';
import type { HandoffPart } from '../../providers/crm/port.ts';
import { endLease, extendLease } from './queries.ts';

/** A third of a lease: one extension may fail. */
const EXTENSION_INTERVAL_MS = 5_000;

/**
 * Extends the lease of a claimed attempt while its work is under way, and ends it with the work. Without the database it
 * ends by itself, as it does when the worker is killed.
 */
export async function withLease<T>(
  db: Db,
  orgId: string,
  attempt: { sessionId: string; part: HandoffPart; attempt: number },
  work: () => Promise<T>,
): Promise<T> {
  const ignore = () => undefined;
  const extending = setInterval(() => void extendLease(db, orgId, attempt).catch(ignore), EXTENSION_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(extending);
    await endLease(db, orgId, attempt).catch(ignore);
  }
}
