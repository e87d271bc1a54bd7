import type { DeliveryStatus } from './contract.ts';

const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 60_000;
const LONGEST_DELAY_MS = 3_600_000;

/** The outcome of one send, in the words of the ledger. `queued` is put off for `delayMs`. */
export interface Settlement {
  status: DeliveryStatus;
  reason: string | null;
  providerId: string | null;
  delayMs: number | null;
}

/** A recipient's mail server said "not now": one minute, doubling, at most an hour, and no more after 8 attempts. */
export function putOff(attempts: number, reason: string): Settlement {
  if (attempts >= MAX_ATTEMPTS) {
    return {
      status: 'failed',
      reason: `given up after ${attempts} attempts: ${reason}`,
      providerId: null,
      delayMs: null,
    };
  }
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LONGEST_DELAY_MS);
  return { status: 'queued', reason, providerId: null, delayMs };
}

export const settled = (
  status: DeliveryStatus,
  reason: string | null = null,
  providerId: string | null = null,
): Settlement => ({
  status,
  reason,
  providerId,
  delayMs: null,
});
