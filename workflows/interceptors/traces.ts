import { defaultPayloadConverter, type Headers, type Payload } from '@temporalio/common';
import type * as OpenTelemetry from '@temporalio/interceptors-opentelemetry/lib/workflow/index.js';
import type { WorkflowInterceptors } from '@temporalio/workflow';

/** Where Temporal's interceptors put the trace. */
const HEADER = '_tracer-data';
/** A traceparent that says that its trace is sampled. */
const SAMPLED = /^00-[\da-f]{32}-[\da-f]{16}-\d[13579bdf]$/;

interface Official {
  inbound: OpenTelemetry.OpenTelemetryInboundInterceptor;
  outbound: OpenTelemetry.OpenTelemetryOutboundInterceptor;
  internals: OpenTelemetry.OpenTelemetryInternalsInterceptor;
}

/**
 * Continues the trace that a workflow was started in, by Temporal's own interceptors. They are loaded for a sampled trace
 * only, as each workflow has them by itself: one that was started without a trace runs as if there were none, whatever its
 * worker is set to, and one of a trace that is not sampled only passes its header on. A workflow that continues as new begins
 * without a trace, as traces would have no end otherwise.
 */
export const interceptors = (): WorkflowInterceptors => {
  let header: Payload | undefined;
  let official: Official | undefined;

  const begin = (headers: Headers) => {
    header = headers[HEADER];
    if (isSampled(header)) official = load();
  };
  const passedOn = <Input extends { headers: Headers }>(input: Input): Input =>
    header === undefined ? input : { ...input, headers: { ...input.headers, [HEADER]: header } };

  return {
    inbound: [
      {
        execute(input, next) {
          begin(input.headers);
          return official === undefined ? next(input) : official.inbound.execute(input, next);
        },
        handleSignal: (input, next) =>
          official === undefined ? next(input) : official.inbound.handleSignal(input, next),
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) =>
          official === undefined ? next(passedOn(input)) : official.outbound.scheduleActivity(input, next),
        scheduleLocalActivity: (input, next) =>
          official === undefined ? next(passedOn(input)) : official.outbound.scheduleLocalActivity(input, next),
        startChildWorkflowExecution: (input, next) =>
          official === undefined ? next(passedOn(input)) : official.outbound.startChildWorkflowExecution(input, next),
        signalWorkflow: (input, next) =>
          official === undefined ? next(passedOn(input)) : official.outbound.signalWorkflow(input, next),
        getLogAttributes: (input, next) =>
          official === undefined ? next(input) : official.outbound.getLogAttributes(input, next),
      },
    ],
    internals: [
      {
        dispose: (input, next) => {
          if (official === undefined) next(input);
          else void official.internals.dispose(input, next);
        },
      },
    ],
  };
};

function isSampled(header: Payload | undefined): boolean {
  if (header === undefined) return false;
  const { traceparent } = defaultPayloadConverter.fromPayload<{ traceparent?: string }>(header);
  return traceparent !== undefined && SAMPLED.test(traceparent);
}

function load(): Official {
  const loaded: typeof OpenTelemetry = require('@temporalio/interceptors-opentelemetry/lib/workflow/index.js');
  return {
    inbound: new loaded.OpenTelemetryInboundInterceptor(),
    outbound: new loaded.OpenTelemetryOutboundInterceptor(),
    internals: new loaded.OpenTelemetryInternalsInterceptor(),
  };
}
