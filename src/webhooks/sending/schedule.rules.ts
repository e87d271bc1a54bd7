import type { WebhookProgress } from '../contract.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays after each failed try. After the last, a delivery has failed. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** So that deliveries that failed together are not tried together. */
const JITTER = 0.1;

const PAUSED_DETAILS = 'waits: the operator has paused all sending';
const MIN_PAUSE_LOOK_MS = MINUTE;
const MAX_PAUSE_LOOK_MS = 5 * MINUTE;

/** What is left to do for an endpoint while the operator has paused all sending: to look again. */
export const PAUSED: WebhookProgress = { nextInMs: 30 * SECOND, details: PAUSED_DETAILS };

/**
 * Returns the same for a single retry. There are many more of them than of endpoints: they look rarely, and spread.
 * `random` is of [0, 1).
 */
export const pausedRetry = (random: number): WebhookProgress => ({
  nextInMs: Math.round(MIN_PAUSE_LOOK_MS + random * (MAX_PAUSE_LOOK_MS - MIN_PAUSE_LOOK_MS)),
  details: PAUSED_DETAILS,
});

/** After so many failures in a row, others wait and one goes at a time. */
export const FAILURES_UNTIL_PROBES = 10;
const MIN_PROBE_MS = 10 * SECOND;
const PROBE_SHARE = 0.25;
const MAX_PROBE_MS = 5 * MINUTE;

/** An endpoint that has accepted nothing for this time is disabled. */
export const DISABLED_AFTER_MS = 5 * 24 * HOUR;
/** An endpoint that fails is tried again within this time, as long as something waits for it: no delay is longer. */
export const QUIET_AFTER_MS = 28 * HOUR;

/** A retry waits in its activity for a slot of an endpoint with a rate if it is as near as this. */
export const NEAR_SLOT_MS = SECOND;
const SHARE_OF_OVERDUE = 0.5;

/**
 * Returns the time until a retry asks again for a slot. Retries that wait for the same endpoint do not come back together:
 * the longer they are overdue, the more they are spread. `random` is of [0, 1).
 */
export const slotWaitMs = (overdueMs: number, random: number): number =>
  SECOND + random * (SECOND + SHARE_OF_OVERDUE * Math.max(overdueMs, 0));

/**
 * Returns the time from the failure of a try to the next one, or null after the last. `tries` counts those made.
 * `random` is of [0, 1).
 */
export function retryDelayMs(tries: number, retryAfterMs: number | undefined, random: number): number | null {
  const delay = RETRY_DELAYS_MS[tries - 1];
  if (delay === undefined) return null;
  return Math.round(Math.max(delay * (1 - JITTER + 2 * JITTER * random), retryAfterMs ?? 0));
}

/**
 * Returns the time until one try may go after so many failures in a row, or null while all may. It grows with the time
 * since the first of them.
 */
export const probeDelayMs = (failures: number, failingForMs: number): number | null =>
  failures < FAILURES_UNTIL_PROBES ? null : Math.min(Math.max(failingForMs * PROBE_SHARE, MIN_PROBE_MS), MAX_PROBE_MS);

/** Counts the failures since the last accepted try, and tells whether there was one. */
export function trailingFailures(tries: readonly { isAccepted: boolean }[]): {
  failures: number;
  wasAccepted: boolean;
} {
  const lastAccepted = tries.findLastIndex(({ isAccepted }) => isAccepted);
  return { failures: tries.length - 1 - lastAccepted, wasAccepted: lastAccepted >= 0 };
}
