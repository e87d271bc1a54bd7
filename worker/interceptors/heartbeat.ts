import { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

const INTERVAL_MS = 3_000;

/** Heartbeats for every activity while it runs, so that one whose worker died is given to another within its heartbeat timeout. */
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
