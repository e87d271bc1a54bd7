import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import type { RateLimit } from '../../providers/crm/hubspot/api.ts';
import { type RateLimitKind, reserveSlot } from './rate-limit.queries.ts';

/** How far apart an org's calls are: at most 9 requests and 4 searches begin within any second. */
const MIN_GAPS_MS: Record<RateLimitKind, number> = { request: 112, search: 250 };
/** A call that would have to wait for longer gives its place in the worker to another. */
const MAX_WAIT_MS = 5_000;

/** What an org may ask of its CRM, kept over all workers. */
export const createRateLimit = (db: Db, orgId: string, mostMs: number = MAX_WAIT_MS): RateLimit => ({
  async reserve(kind) {
    const { isTaken, waitMs } = await reserveSlot(db, orgId, kind, { gapMs: MIN_GAPS_MS[kind], mostMs });
    if (!isTaken) {
      throw new CrmError('So many calls of the CRM are waiting that this one comes back later', {
        transient: true,
        retryAfterMs: waitMs,
        isOwnLimit: true,
      });
    }
    if (waitMs > 0) await sleep(waitMs);
  },
});
