import { LRUCache } from 'lru-cache';
import type { Channel } from '../../deliveries/contract.ts';
import type { SenderUnavailable } from '../../deliveries/sending/send-chunks.ts';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_OUTAGES = 10_000;

/** A provider that could not be used. */
interface Outage {
  /** By this process' clock since its start. */
  until: number;
  times: number;
  reason: string;
}

/** What this process knows of orgs' providers that are away. */
export interface Outages {
  /** Notes a failure: the next attempt follows after a delay that grows from 1 s to a minute. */
  record(orgId: string, channel: Channel, error: SenderUnavailable): void;
  /** Notes that the provider works. */
  clear(orgId: string, channel: Channel): void;
  /** Returns the milliseconds until the next attempt and the reason. Undefined if the provider may be tried now. */
  find(orgId: string, channel: Channel): { pauseMs: number; reason: string } | undefined;
}

export function createOutages(): Outages {
  const outages = new LRUCache<string, Outage>({ max: MAX_OUTAGES });
  const keyOf = (orgId: string, channel: Channel) => `${orgId} ${channel}`;
  return {
    record(orgId, channel, { reason, retryAfterMs = 0 }) {
      const times = (outages.get(keyOf(orgId, channel))?.times ?? 0) + 1;
      const pauseMs = Math.max(Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), MAX_PAUSE_MS), retryAfterMs);
      outages.set(keyOf(orgId, channel), { until: performance.now() + pauseMs, times, reason });
    },
    clear: (orgId, channel) => void outages.delete(keyOf(orgId, channel)),
    find(orgId, channel) {
      const outage = outages.get(keyOf(orgId, channel));
      const pauseMs = outage === undefined ? 0 : Math.ceil(outage.until - performance.now());
      return outage === undefined || pauseMs <= 0 ? undefined : { pauseMs, reason: outage.reason };
    },
  };
}
