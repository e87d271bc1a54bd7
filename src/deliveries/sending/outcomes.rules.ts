import type { SendOutcome } from '../../providers/sending.ts';
import type { Channel, DeliveryStatus } from '../contract.ts';

const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 60_000;
const MAX_DELAY_MS = 3_600_000;

/** Channels with a provider that can be asked what became of a send whose answer was lost. */
export const RECONCILABLE_CHANNELS: Channel[] = ['sms', 'voice'];

/** Each status with those that a status callback may move it on from: only forward, and nothing follows an end. */
const STATUSES_BEFORE = {
  sent: ['queued', 'held', 'sending', 'unknown', 'accepted'],
  delivered: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent'],
  read: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent', 'delivered'],
  failed: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent'],
  bounced: ['queued', 'held', 'sending', 'unknown', 'accepted', 'sent', 'delivered'],
} as const satisfies Partial<Record<DeliveryStatus, DeliveryStatus[]>>;

export type ReportedStatus = keyof typeof STATUSES_BEFORE;

/** The statuses that a delivery may have for a report of `status` to be news. */
export const statusesBefore = (status: ReportedStatus): readonly DeliveryStatus[] => STATUSES_BEFORE[status];

/** The outcome of one send, in the words of the ledger. `queued` is put off for `delayMs`. */
export interface Settlement {
  status: DeliveryStatus;
  reason: string | null;
  providerId: string | null;
  delayMs: number | null;
  /** Why the address is to be taken off the channel, or null. */
  suppression: 'bounced' | 'unsubscribed' | null;
  outcome: SendOutcome['kind'];
}

/** What an outcome means for a delivery that was tried `attempts` times. */
export function settlementOf(channel: Channel, outcome: SendOutcome, attempts: number): Settlement {
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
      return { ...base, status: 'unknown', outcome: 'unknown' };
    case 'retry':
      if (outcome.scope === 'provider') return { ...base, status: 'queued', delayMs: 0, outcome: 'retry' };
      return { ...base, ...retryLater(attempts, outcome), outcome: 'retry' };
    case 'rejected':
      if (outcome.because === 'config') return { ...base, status: 'queued', delayMs: 0, outcome: 'rejected' };
      if (outcome.because === 'permanent') return { ...base, status: 'failed', outcome: 'rejected' };
      return { ...base, ...ADDRESS_REFUSALS[channel], outcome: 'rejected' };
  }
}

/** What it means that an address is no good: numbers are refused for having opted out, the others for not being reachable. */
const ADDRESS_REFUSALS: Record<Channel, Pick<Settlement, 'status' | 'suppression'>> = {
  email: { status: 'bounced', suppression: 'bounced' },
  sms: { status: 'suppressed', suppression: 'unsubscribed' },
  whatsapp: { status: 'failed', suppression: 'bounced' },
  voice: { status: 'failed', suppression: 'bounced' },
};

/** The recipient is not reached now: after one minute, doubling, at most an hour, or when the provider says; no more after 8 attempts. */
function retryLater(
  attempts: number,
  { reason, retryAfterMs = 0 }: { reason: string; retryAfterMs?: number | undefined },
): Pick<Settlement, 'status' | 'reason' | 'delayMs'> {
  if (attempts >= MAX_ATTEMPTS) {
    return { status: 'failed', reason: `given up after ${attempts} attempts: ${reason}`, delayMs: null };
  }
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), MAX_DELAY_MS);
  return { status: 'queued', reason, delayMs: Math.max(delayMs, retryAfterMs) };
}
