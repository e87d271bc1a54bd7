import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Tracing } from './sdk.ts';

/** Starts to record traces if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise nothing of OpenTelemetry's SDK is loaded. */
export async function startTracing(
  config: Config,
  program: { name: 'api' | 'worker'; version: string },
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Tracing | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const { startSdk } = await import('./sdk.ts');
  return startSdk(config, program, log);
}
