import type { Pool } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { onMeasured } from '../processes/measurements.ts';
import { type Health, VERSION } from './health.ts';
import type { MetricsText } from './server.ts';

const PROVIDER_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface ObservedProgram {
  program: 'api' | 'worker';
  health: Health;
  pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
}

export interface Metrics extends MetricsText {
  registry: Registry;
  /** Ends the counting. */
  close(): void;
}

/**
 * Creates the metrics that both programs have: of the process, its version, the state of its parts, its connections, and
 * what it sends and asks of providers.
 */
export function createMetrics({ program, health, pool }: ObservedProgram): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addState(registry, { program, health, pool });
  const endings = countMeasured(registry);
  return {
    registry,
    contentType: registry.contentType,
    metrics: () => registry.metrics(),
    close() {
      for (const end of endings) end();
      registry.clear(); // Node's observer of garbage collections, which nothing ends, holds the registry
    },
  };
}

function addState(registry: Registry, { program, health, pool }: ObservedProgram): void {
  const registers = [registry];
  new Gauge({
    name: 'switchboard_info',
    help: 'Always 1; the labels name the program and its version',
    labelNames: ['program', 'version'] as const,
    registers,
  }).set({ program, version: VERSION }, 1);
  new Gauge({
    name: 'switchboard_part_up',
    help: 'Whether a part that the program needs is there, as /readyz says',
    labelNames: ['part'] as const,
    registers,
    async collect() {
      const { since, ...report } = await health.read();
      for (const part of Object.keys(since)) this.set({ part }, report[part] === 'ok' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'switchboard_database_connections',
    help: 'Connections of the pool that are used or idle, and work that waits for one',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}

/** Counts what this process measures. Returns what ends it. */
function countMeasured(registry: Registry): (() => void)[] {
  const registers = [registry];
  const sends = new Histogram({
    name: 'switchboard_send_seconds',
    help: 'Messages given to a provider, and how long it took to answer',
    labelNames: ['channel', 'provider', 'outcome'] as const,
    buckets: PROVIDER_SECONDS,
    registers,
  });
  const calls = new Histogram({
    name: 'switchboard_provider_call_seconds',
    help: 'Requests to CRMs, models and other connections, and how long they took',
    labelNames: ['kind', 'outcome'] as const,
    buckets: PROVIDER_SECONDS,
    registers,
  });
  const limits = new Counter({
    name: 'switchboard_limits_reached_total',
    help: 'Requests that were answered with 429, by the limit',
    labelNames: ['limit'] as const,
    registers,
  });
  return [
    onMeasured('send', ({ seconds, ...labels }) => sends.observe(labels, seconds)),
    onMeasured('provider-call', ({ seconds, ...labels }) => calls.observe(labels, seconds)),
    onMeasured('limit-reached', (labels) => limits.inc(labels)),
  ];
}

/** Creates the histogram of the api's requests. */
export const requestDurations = (registry: Registry) =>
  new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
