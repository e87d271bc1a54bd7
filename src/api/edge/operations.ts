import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { sql } from 'kysely';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Deps } from '../deps.ts';

const CHECK_TIMEOUT_MS = 2_000;
const HIDDEN = { schema: { hide: true }, config: { scope: 'public', limitedBy: 'nothing' } } as const;

/**
 * Creates the metrics. The outbox's backlog is counted at each scrape. While it cannot be counted it is not a number, and
 * the figures of the process are served all the same.
 */
export function createMetrics(countOutbox: () => Promise<number>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'switchboard_outbox_rows',
    help: 'Events and workflow starts that wait for a relay, at most 10,000 counted',
    registers: [registry],
    async collect() {
      this.set(await inTime(countOutbox(), Number.NaN));
    },
  });
  return { registry, durations };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Measures every request by its route's pattern, never by its URL. */
export const measure = fastifyPlugin(async (app: FastifyInstance, { metrics }: { metrics: Metrics }) => {
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
    };
    metrics.durations.observe(labels, reply.elapsedTime / 1000);
  });
  // Node's observer of garbage collections, which nothing ends, holds the registry: it must not hold the app.
  app.addHook('onClose', async () => metrics.registry.clear());
});

/** Serves `/healthz`, `/readyz` and `/metrics`, for the operator's network. */
export const operations = async (app: FastifyInstance, { db, temporal, metrics }: Deps & { metrics: Metrics }) => {
  app.get('/healthz', HIDDEN, async () => ({ status: 'ok' }));

  app.get('/readyz', HIDDEN, async (_request, reply) => {
    const [database, workflows] = await Promise.all([answers(sql`select 1`.execute(db)), answers(temporal.check())]);
    reply.code(database ? 200 : 503); // what needs Temporal is accepted, and waits for it
    const status = database ? (workflows ? 'ok' : 'degraded') : 'away';
    return { status, database: database ? 'ok' : 'away', temporal: workflows ? 'ok' : 'away' };
  });

  app.get('/metrics', HIDDEN, async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
};

const answers = (check: Promise<unknown>): Promise<boolean> =>
  inTime(
    check.then(() => true),
    false,
  );

/** Returns the result of a check, or `otherwise` if it fails or takes too long. */
async function inTime<T>(check: Promise<T>, otherwise: T): Promise<T> {
  const tooLate = new AbortController();
  try {
    check.catch(() => undefined);
    return await Promise.race([check, sleep(CHECK_TIMEOUT_MS, otherwise, { signal: tooLate.signal })]);
  } catch {
    return otherwise;
  } finally {
    tooLate.abort();
  }
}
