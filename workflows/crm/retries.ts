import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { setWaitsFor } from '../waits-for.ts';

const RETRY_ROUND_INTERVAL_MS = 15 * 60_000;
/** Delay after a failure of the worker or the database. Such a failure is not the CRM's answer. */
const INFRASTRUCTURE_RETRY_MS = 5_000;

/**
 * Returns the CRM's error message if the CRM was unavailable for a whole round of attempts. Returns undefined for all
 * other errors.
 */
export function outageOf(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  return error.cause.type === 'ProviderUnavailable' ? error.cause.message : undefined;
}

/** Returns the delay until the next round after an outage: as long as the CRM asks for, or 15 minutes. */
export function roundIntervalOf(error: unknown): number {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure))
    return RETRY_ROUND_INTERVAL_MS;
  const [pause]: unknown[] = error.cause.details ?? [];
  return isPause(pause) ? pause.retryAfterMs : RETRY_ROUND_INTERVAL_MS;
}

const isPause = (details: unknown): details is { retryAfterMs: number } =>
  typeof details === 'object' &&
  details !== null &&
  'retryAfterMs' in details &&
  typeof details.retryAfterMs === 'number';

/** Returns the result of an activity or its error. Never throws. */
export async function outcomeOf<T>(call: Promise<T>): Promise<{ result?: T; error?: unknown }> {
  try {
    return { result: await call };
  } catch (error) {
    return { error };
  }
}

/**
 * Repeats `work` until it succeeds. After a failed round of attempts the next round follows in 15 minutes, when the CRM
 * asks for it, or with the next signal. When its history grows too long, the workflow continues as new with its input.
 */
export async function retryUntilDone<T>(
  what: string,
  work: () => Promise<T>,
  { input, signals }: { input: object; signals: () => number },
): Promise<T> {
  for (;;) {
    const seen = signals();
    try {
      return await work();
    } catch (error) {
      await waitForRetryRound(what, error, () => signals() > seen);
    }
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<(input: object) => Promise<T>>(input);
  }
}

/** Waits after a failed round. Throws errors of other kinds: bugs, cancellations and permanent refusals. */
export async function waitForRetryRound(what: string, error: unknown, isWoken: () => boolean): Promise<void> {
  const outage = outageOf(error);
  if (!(error instanceof ActivityFailure) || (outage === undefined && isPermanent(error))) throw error;
  if (outage === undefined) {
    await sleep(INFRASTRUCTURE_RETRY_MS, { summary: `waiting to retry: ${what}` });
    return;
  }
  setWaitsFor('provider');
  setCurrentDetails(`Waiting for the CRM to ${what}. ${outage}`);
  await condition(isWoken, roundIntervalOf(error), { summary: `waiting for the CRM: next retry to ${what}` });
}

/** Returns true for a cancellation, and for a refusal by the CRM. Retries do not change either. */
function isPermanent({ cause }: ActivityFailure): boolean {
  if (cause instanceof ApplicationFailure) return cause.nonRetryable === true;
  return cause?.name === 'CancelledFailure';
}
