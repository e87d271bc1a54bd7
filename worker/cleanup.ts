import type { FastifyBaseLogger } from 'fastify';
import { deleteOldBatches, wakeStalledQueues } from '../src/crm/inbound/maintenance.service.ts';
import type { Db } from '../src/db/connect.ts';
import { deleteExpiredMail } from '../src/deliveries/inbound/emails.service.ts';
import { deleteExpiredResponses } from '../src/http/idempotency.queries.ts';
import { deleteExpiredLogins } from '../src/partners/login.service.ts';

const INTERVAL_MS = 10 * 60_000;
const CLEANUPS = {
  deleteExpiredResponses,
  deleteExpiredLogins,
  deleteExpiredMail,
  deleteOldBatches,
  wakeStalledQueues,
};

/**
 * Deletes expired data periodically. Every worker does so: a second one finds nothing left. The returned function stops
 * it.
 */
export function startCleanup(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  const sweep = async () => {
    for (const [chore, run] of Object.entries(CLEANUPS)) {
      try {
        while ((await run(db)) > 0);
      } catch (error) {
        log.warn({ err: error, chore }, 'cleanup failed; it will be retried later');
      }
    }
  };
  void sweep();
  const timer = setInterval(() => void sweep(), INTERVAL_MS);
  return () => clearInterval(timer);
}
