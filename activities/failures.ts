import { ApplicationFailure } from '@temporalio/common';
import { DomainError, ProviderError } from '../src/errors.ts';

/** Retries of one round follow one another within this. The policy of CRM_CALL has the same limit. */
const MAX_PAUSE_IN_ROUND_MS = 30_000;

/** Turns our errors into Temporal failures. The retry policy needs their type and retryability. */
export function toFailure(error: unknown): unknown {
  if (error instanceof DomainError) return ApplicationFailure.nonRetryable(error.message, error.kind);
  if (!(error instanceof ProviderError)) return error; // network, timeout, database: the retry policy decides
  const { message, transient, retryAfterMs, isOwnLimit } = error;
  return ApplicationFailure.create({
    message,
    type: isOwnLimit ? 'OwnLimit' : transient ? 'ProviderUnavailable' : 'ProviderRefused',
    nonRetryable: !transient,
    nextRetryDelay: retryAfterMs,
  });
}

/**
 * Ends the round of attempts where a third party asks for a longer pause than the retries of a round have. The workflow
 * then waits for its next round and can be woken before it, which a retry by Temporal cannot.
 */
export function toRoundFailure(error: unknown): unknown {
  if (!(error instanceof ProviderError) || !error.transient || error.isOwnLimit) return error;
  const { message, retryAfterMs = 0 } = error;
  if (retryAfterMs <= MAX_PAUSE_IN_ROUND_MS) return error;
  return ApplicationFailure.create({
    message,
    type: 'ProviderUnavailable',
    nonRetryable: true,
    details: [{ retryAfterMs }],
  });
}

/** Returns the activity with rounds that end at a long pause, see toRoundFailure. */
export const inRounds =
  <Input, Result>(work: (input: Input) => Promise<Result>) =>
  (input: Input): Promise<Result> =>
    work(input).catch((error: unknown) => {
      throw toRoundFailure(error);
    });
