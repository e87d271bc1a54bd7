import type { ActivityInboundCallsInterceptor, ActivityOutboundCallsInterceptor } from '@temporalio/worker';
import { ORG_ID, setSpanAttribute } from '../../src/tracing/spans.ts';

/** Returns the org that an activity is for, if its input names one. */
export function orgOf(argument: unknown): string | undefined {
  const isNamed = typeof argument === 'object' && argument !== null && 'orgId' in argument;
  return isNamed && typeof argument.orgId === 'string' ? argument.orgId : undefined;
}

/** Adds the id of the org to what the SDK logs about an activity, and to its span. */
export const orgLogInterceptor = (): {
  inbound: ActivityInboundCallsInterceptor;
  outbound: ActivityOutboundCallsInterceptor;
} => {
  let orgId: string | undefined;
  return {
    inbound: {
      execute(input, next) {
        orgId = orgOf(input.args[0]);
        if (orgId !== undefined) setSpanAttribute(ORG_ID, orgId);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) => next(orgId === undefined ? attributes : { ...attributes, orgId }),
    },
  };
};
