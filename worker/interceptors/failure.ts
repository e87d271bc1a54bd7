import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { toFailure } from '../../activities/failures.ts';

/** Applied to every activity, so no activity has to decide on retries itself. */
export const failureInterceptor = (): { inbound: ActivityInboundCallsInterceptor } => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        throw toFailure(error);
      }
    },
  },
});
