import type { ActivityInboundCallsInterceptor, ActivityOutboundCallsInterceptor } from '@temporalio/worker';
import { runAfterRequest } from '../../src/processes/current-work.ts';
import { requestIn } from '../../src/temporal/request-header.ts';
import { ORG_ID, setSpanAttribute } from '../../src/tracing/spans.ts';

/** Returns the org that an activity is for, if its input names one. */
export function orgOf(argument: unknown): string | undefined {
  const isNamed = typeof argument === 'object' && argument !== null && 'orgId' in argument;
  return isNamed && typeof argument.orgId === 'string' ? argument.orgId : undefined;
}

/**
 * Adds the ids of the org and of the request that has started the workflow to what is logged about an activity, and that
 * of the org to its span.
 */
export const orgLogInterceptor = (): {
  inbound: ActivityInboundCallsInterceptor;
  outbound: ActivityOutboundCallsInterceptor;
} => {
  let orgId: string | undefined;
  let requestId: string | undefined;
  return {
    inbound: {
      execute(input, next) {
        orgId = orgOf(input.args[0]);
        if (orgId !== undefined) setSpanAttribute(ORG_ID, orgId);
        requestId = requestIn(input.headers);
        return runAfterRequest(requestId, () => next(input));
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) =>
        next({ ...attributes, ...(orgId !== undefined && { orgId }), ...(requestId !== undefined && { requestId }) }),
    },
  };
};
