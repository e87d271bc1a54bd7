import { DomainError, ProviderError } from '../../../errors.ts';

/** The attempts of an action that are left, this one included, and the delay before the next one. */
export interface AttemptRound {
  left: number;
  delayMs: number;
}

/** Errors in the code of an action, which are its own: its last attempt ends it. */
const PROGRAMMING_ERRORS = ['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError'];
/** The delay of a workflow before it repeats an action after an outage of the worker or the database. */
const OUTAGE_RETRY_MS = 5_000;

/**
 * Returns in how many milliseconds an action is tried again after an error, or null if it is not. An outage that is not
 * the action's own is waited out, however long it lasts.
 */
export function nextTryMsAfter(error: unknown, round: AttemptRound | undefined): number | null {
  if (round === undefined || error instanceof DomainError) return null;
  const { left, delayMs } = round;
  if (error instanceof ProviderError) {
    if (!error.transient || (left <= 1 && !error.isOwnLimit)) return null;
    return left <= 1 ? OUTAGE_RETRY_MS : (error.retryAfterMs ?? delayMs);
  }
  if (left > 1) return delayMs;
  return error instanceof Error && PROGRAMMING_ERRORS.includes(error.name) ? null : OUTAGE_RETRY_MS;
}
