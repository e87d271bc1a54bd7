import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import type { RateLimit } from '../../providers/crm/hubspot/api.ts';
import { type RateLimitKind, reserveSlot } from './rate-limit.queries.ts';

/** The gap between an org's calls: at most 9 requests and 4 searches begin within any second. */
const MIN_GAPS_MS: Record<RateLimitKind, number> = { request: 112, search: 250 };
/** A call with a longer wait fails and is retried later, to free its slot in the worker. */
const MAX_WAIT_MS = 5_000;

/** Limits the rate of an org's calls to its CRM, over all workers. */
export const createRateLimit = (db: Db, orgId: string, mostMs: number = MAX_WAIT_MS): RateLimit => ({
  async reserve(kind) {
    const { isTaken, waitMs } = await reserveSlot(db, orgId, kind, { gapMs: MIN_GAPS_MS[kind], mostMs });
    if (!isTaken) {
      throw new CrmError('Too many calls to the CRM are waiting: this one is retried later', {
        transient: true,
        retryAfterMs: waitMs,
        isOwnLimit: true,
      });
    }
    if (waitMs > 0) await sleep(waitMs);
  },
});
