import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { toFailure } from '../../activities/failures.ts';

/** What an activity has thrown, by the failure that Temporal got in its place. */
const thrown = new WeakMap<object, unknown>();

/** Returns what an activity has thrown in place of a failure, or else the error itself. */
export const thrownFor = (error: unknown): unknown =>
  (typeof error === 'object' && error !== null ? thrown.get(error) : undefined) ?? error;

/** Applied to every activity, so no activity has to decide on retries itself. */
export const failureInterceptor = (): { inbound: ActivityInboundCallsInterceptor } => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        const failure = toFailure(error);
        if (typeof failure === 'object' && failure !== null && failure !== error) thrown.set(failure, error);
        throw failure;
      }
    },
  },
});
