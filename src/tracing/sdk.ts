import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { createRepeatLimit } from '../logging/repeats.ts';
import { scrubbed } from './scrubbing.rules.ts';

/** The last spans have this time to leave when the program stops. */
const LAST_EXPORT_MS = 2_000;

export interface Tracing {
  /** Takes spans that have ended, also those of workflows, which end in other threads. */
  processor: SpanProcessor;
  /** What all spans are of. */
  resource: Resource;
  /** Records no more, and sends what is left, for two seconds at most. */
  stop(): Promise<void>;
}

/**
 * Records traces, and sends them by OTLP over HTTP in batches. While the receiver is away, what no longer fits the queue is
 * dropped, and the log says so once a minute. Limits, headers and time limits are those of the standard variables OTEL_BSP_*,
 * OTEL_SPAN_* and OTEL_EXPORTER_OTLP_*, which the SDK reads by itself.
 */
export function startSdk(
  config: Config,
  { name, version }: { name: 'api' | 'worker'; version: string },
  log: Pick<FastifyBaseLogger, 'warn'>,
): Tracing {
  warnOfLosses(log);
  const named = new Resource({ 'service.name': `switchboard-${name}`, 'service.version': version });
  const resource = named.merge(detectResourcesSync({ detectors: [envDetectorSync] }));
  const exporter = new OTLPTraceExporter({ url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces` });
  const batches = new BatchSpanProcessor(exporter);
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => batches.onEnd(scrubbed(span)),
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
  const provider = new BasicTracerProvider({ resource, sampler: samplerOf(config), spanProcessors: [processor] });
  provider.register({
    contextManager: new AsyncLocalStorageContextManager().enable(),
    propagator: new W3CTraceContextPropagator(),
  });
  return {
    processor,
    resource,
    async stop() {
      for (const api of [trace, context, propagation]) api.disable();
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(LAST_EXPORT_MS, undefined, { ref: false })]);
    },
  };
}

function warnOfLosses(log: Pick<FastifyBaseLogger, 'warn'>): void {
  const limit = createRepeatLimit();
  setGlobalErrorHandler((error) =>
    limit.write('traces', (repeated) =>
      log.warn({ err: error, ...(repeated > 0 && { repeated }) }, 'Traces could not be sent, and are lost'),
    ),
  );
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = rootSamplerOf(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSamplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'always_on' ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}
