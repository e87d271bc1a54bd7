import type { SendOutcome } from '../../providers/sending.ts';
import type { Channel, DeliveryStatus } from '../contract.ts';

const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 60_000;
const MAX_DELAY_MS = 3_600_000;

/** Channels whose providers can be asked for the outcome of a send with a lost response. */
export const RECONCILABLE_CHANNELS: Channel[] = ['sms', 'voice', 'slack'];

/** For each reported status, the statuses it may replace: only forward, and never a final one. */
const STATUSES_BEFORE = {
  sent: ['queued', 'held', 'sending', 'unknown', 'accepted'],
  delivered: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent'],
  read: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent', 'delivered'],
  failed: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent'],
  bounced: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent', 'delivered'],
} as const satisfies Partial<Record<DeliveryStatus, DeliveryStatus[]>>;

export type ReportedStatus = keyof typeof STATUSES_BEFORE;

/** Returns the statuses of deliveries still to be changed by a report of `status`. */
export const statusesBefore = (status: ReportedStatus): readonly DeliveryStatus[] => STATUSES_BEFORE[status];

/** The outcome of one send in the terms of the ledger. `queued` is deferred by `delayMs`. */
export interface Settlement {
  status: DeliveryStatus;
  reason: string | null;
  providerId: string | null;
  delayMs: number | null;
  /** Why the address is to be suppressed on the channel, or null. */
  suppression: 'bounced' | 'unsubscribed' | null;
  outcome: SendOutcome['kind'];
}

/** The settlement of a delivery that was claimed, and is not sent for now. */
export const NOT_BEGUN: Settlement = {
  status: 'queued',
  reason: null,
  providerId: null,
  delayMs: 0,
  suppression: null,
  outcome: 'retry',
};

/**
 * Returns the settlement of a delivery for the outcome of its attempt number `attempts`. Transactional e-mail without a
 * known outcome is sent again, under the same Message-ID.
 */
export function settlementOf(
  channel: Channel,
  outcome: SendOutcome,
  attempts: number,
  { isTransactional = false }: { isTransactional?: boolean } = {},
): Settlement {
  const base = {
    reason: 'reason' in outcome ? outcome.reason : null,
    providerId: ('providerId' in outcome ? outcome.providerId : undefined) ?? null,
    delayMs: null,
    suppression: null,
  };
  switch (outcome.kind) {
    case 'accepted':
      return { ...base, status: 'accepted', outcome: 'accepted' };
    case 'unknown':
      if (isTransactional) return { ...base, ...retryLater(attempts, outcome, 'unknown'), outcome: 'unknown' };
      return { ...base, status: 'unknown', outcome: 'unknown' };
    case 'retry':
      if (outcome.scope === 'provider') return { ...base, status: 'queued', delayMs: 0, outcome: 'retry' };
      return { ...base, ...retryLater(attempts, outcome, 'failed'), outcome: 'retry' };
    case 'rejected':
      if (outcome.because === 'config') return { ...base, status: 'queued', delayMs: 0, outcome: 'rejected' };
      if (outcome.because === 'permanent') return { ...base, status: 'failed', outcome: 'rejected' };
      return { ...base, ...ADDRESS_REFUSALS[channel], outcome: 'rejected' };
  }
}

/** The meaning of a refused address: an opt-out for SMS, an unreachable address on the other channels with suppressions. */
const ADDRESS_REFUSALS: Record<Channel, Pick<Settlement, 'status' | 'suppression'>> = {
  email: { status: 'bounced', suppression: 'bounced' },
  sms: { status: 'suppressed', suppression: 'unsubscribed' },
  whatsapp: { status: 'failed', suppression: 'bounced' },
  voice: { status: 'failed', suppression: 'bounced' },
  messenger: { status: 'failed', suppression: null },
  instagram: { status: 'failed', suppression: null },
  slack: { status: 'failed', suppression: null },
};

/**
 * Defers a send to be tried again: by one minute, doubling, at most an hour, or as long as the provider asks. After 8
 * attempts it ends with `last`.
 */
function retryLater(
  attempts: number,
  { reason, retryAfterMs = 0 }: { reason: string; retryAfterMs?: number | undefined },
  last: 'failed' | 'unknown',
): Pick<Settlement, 'status' | 'reason' | 'delayMs'> {
  if (attempts >= MAX_ATTEMPTS) {
    return { status: last, reason: `given up after ${attempts} attempts: ${reason}`, delayMs: null };
  }
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), MAX_DELAY_MS);
  return { status: 'queued', reason, delayMs: Math.max(delayMs, retryAfterMs) };
}
