import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { toFailure } from '../../activities/failures.ts';

/** Applied to every activity, so that none has to remember which errors are worth a retry. */
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
