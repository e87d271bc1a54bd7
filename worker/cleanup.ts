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

/** Deletes what has run out, now and then. Every worker does; a second one finds nothing left. Ends with the returned function. */
export function startCleanup(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  const sweep = async () => {
    for (const [chore, run] of Object.entries(CLEANUPS)) {
      try {
        while ((await run(db)) > 0);
      } catch (error) {
        log.warn({ err: error, chore }, 'housekeeping failed; it is done again later');
      }
    }
  };
  void sweep();
  const timer = setInterval(() => void sweep(), INTERVAL_MS);
  return () => clearInterval(timer);
}
