import type { Pool } from 'pg';
import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import { databaseCheck, temporalCheck } from '../src/operations/checks.ts';
import { createHealth, PartAway } from '../src/operations/health.ts';
import { createMetrics } from '../src/operations/metrics.ts';
import { type MetricsText, startOpsServer } from '../src/operations/server.ts';
import { connectTemporalHealth } from '../src/temporal/client.ts';
import { readTemporalMetrics } from './temporal-metrics.ts';

export interface WorkerOps {
  port: number;
  /** Makes the worker unready: it is about to stop. */
  drain(): void;
  /** Ends the periodic checks. Call it before the database is closed. */
  stopWatching(): void;
  close(): Promise<void>;
}

export interface ObservedWorker {
  db: Db;
  /** The connections that `db` uses. */
  pool: Pool;
  /** Where Temporal's SDK serves its metrics, on loopback. */
  temporalMetricsPort?: number | undefined;
  /** Whether the workers of all queues poll for work. */
  areRunning(): boolean;
}

/**
 * Serves the health and the metrics of a worker, if it has a port for them. Temporal is asked on a separate connection:
 * that of the workers is replaced while Temporal is away.
 */
export async function startWorkerOps(
  config: Config,
  { db, pool, temporalMetricsPort, areRunning }: ObservedWorker,
): Promise<WorkerOps | undefined> {
  if (config.WORKER_OPS_PORT === undefined) return undefined;
  const temporal = connectTemporalHealth(config);
  const polling = async () => {
    if (!areRunning()) throw new PartAway('The worker does not poll its queues');
  };
  const health = createHealth({
    program: 'worker',
    checks: { database: databaseCheck(db), temporal: temporalCheck(temporal), polling },
    required: ['database', 'temporal', 'polling'],
  });
  const metrics = createMetrics({ program: 'worker', health, pool });
  const stopWatching = health.watch();
  const server = await startOpsServer(
    { health, metrics: withTemporal(metrics, temporalMetricsPort) },
    { host: config.HOST, port: config.WORKER_OPS_PORT },
  );
  return {
    port: server.port,
    drain: health.drain,
    stopWatching,
    async close() {
      metrics.close();
      await Promise.all([server.close(), temporal.close()]);
    },
  };
}

/** Adds the metrics of Temporal's SDK, which are at a separate address, to those of the program. */
function withTemporal({ contentType, metrics }: MetricsText, port: number | undefined): MetricsText {
  if (port === undefined) return { contentType, metrics };
  const readTemporal = () => readTemporalMetrics(port).catch(() => '# Temporal’s SDK did not answer\n');
  return { contentType, metrics: async () => (await Promise.all([metrics(), readTemporal()])).join('') };
}
