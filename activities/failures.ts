import { ApplicationFailure } from '@temporalio/common';
import { DomainError, ProviderError } from '../src/errors.ts';

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
