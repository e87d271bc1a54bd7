import type { FastifyBaseLogger } from 'fastify';

const MAX_SHUTDOWN_MS = 10_000;

/** Runs `stop` once on SIGTERM or SIGINT, then ends the process. Ends it after 10 s even if `stop` has not finished. */
export function onStopSignal(logger: Pick<FastifyBaseLogger, 'info' | 'error'>, stop: () => Promise<void>): void {
  let isStopping = false;
  const run = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), MAX_SHUTDOWN_MS).unref();
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      logger.error({ err: error }, 'shutdown failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', (signal) => void run(signal));
  process.on('SIGINT', (signal) => void run(signal));
}
