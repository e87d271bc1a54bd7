import { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

const INTERVAL_MS = 3_000;

/** Sends heartbeats for every running activity: if its worker dies, another one gets it within the heartbeat timeout. */
export const heartbeatInterceptor = (): { inbound: ActivityInboundCallsInterceptor } => ({
  inbound: {
    async execute(input, next) {
      const { heartbeat } = Context.current();
      const beat = setInterval(() => heartbeat(), INTERVAL_MS);
      try {
        return await next(input);
      } finally {
        clearInterval(beat);
      }
    },
  },
});
