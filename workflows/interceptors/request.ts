import type { WorkflowInterceptors } from '@temporalio/workflow';
import { requestIn, withRequest } from '../../src/temporal/request-header.ts';

/**
 * Names the request that a workflow was started by in all that is logged about it, and hands it on to its activities. A
 * workflow that continues as new, or that was only signaled, names no other.
 */
export const interceptors = (): WorkflowInterceptors => {
  let requestId: string | undefined;
  return {
    inbound: [
      {
        execute(input, next) {
          requestId = requestIn(input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: withRequest(input.headers, requestId) }),
        scheduleLocalActivity: (input, next) => next({ ...input, headers: withRequest(input.headers, requestId) }),
        getLogAttributes: (input, next) => next(requestId === undefined ? input : { ...input, requestId }),
      },
    ],
  };
};
