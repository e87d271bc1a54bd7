import type { FastifyBaseLogger } from 'fastify';

/** The process ends itself this long before it would be killed. */
const MARGIN_MS = 1_000;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const exit = () => process.exit(0);

/** Ends the process at once on SIGTERM or SIGINT, until onStopSignal: process 1 of a container ignores them otherwise. */
export function endOnStopSignal(): void {
  for (const signal of SIGNALS) process.on(signal, exit);
}

/**
 * Runs `stop` once on SIGTERM or SIGINT, then ends the process. Ends it shortly before the grace is over even if `stop` has
 * not finished.
 */
export function onStopSignal(
  logger: Pick<FastifyBaseLogger, 'info' | 'error'>,
  graceSeconds: number,
  stop: () => Promise<void>,
): void {
  let isStopping = false;
  const run = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(
      () => {
        logger.error('Not all work has ended within STOP_GRACE_SECONDS: it is cut off');
        process.exit(1);
      },
      graceSeconds * 1_000 - MARGIN_MS,
    ).unref();
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      logger.error({ err: error }, 'shutdown failed');
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.off(signal, exit).on(signal, (given) => void run(given));
}
