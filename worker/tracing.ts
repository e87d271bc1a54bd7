import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { OpenTelemetrySinks } from '@temporalio/interceptors-opentelemetry/lib/workflow/index.js';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { Tracing } from '../src/tracing/sdk.ts';

/** What records the way from the relay over workflows to activities. */
export interface WorkerTracing {
  client: WorkflowClientInterceptor[];
  activity: ActivityInterceptorsFactory[];
  sinks: InjectedSinks<OpenTelemetrySinks>;
}

/** Workflows that began in a sampled trace report their spans also to a worker that records none. */
export const WITHOUT_TRACING: WorkerTracing = {
  client: [],
  activity: [],
  sinks: { exporter: { export: { fn: () => undefined } } },
};

/** Loads Temporal's interceptors for traces, if traces are recorded. */
export async function createWorkerTracing(tracing: Tracing | undefined): Promise<WorkerTracing> {
  if (tracing === undefined) return WITHOUT_TRACING;
  const { OpenTelemetryWorkflowClientInterceptor } = await import(
    '@temporalio/interceptors-opentelemetry/lib/client/index.js'
  );
  const official = await import('@temporalio/interceptors-opentelemetry/lib/worker/index.js');
  return {
    client: [new OpenTelemetryWorkflowClientInterceptor()],
    activity: [
      (context) => ({
        inbound: new official.OpenTelemetryActivityInboundInterceptor(context),
        outbound: new official.OpenTelemetryActivityOutboundInterceptor(context),
      }),
    ],
    sinks: { exporter: official.makeWorkflowExporter(tracing.processor, tracing.resource) },
  };
}
