import type { FastifyBaseLogger } from 'fastify';

interface PeriodicWork {
  intervalMs: number;
  /** Whether it begins at once, instead of after the first interval. */
  beginsAtOnce?: boolean;
  /** What is logged if it fails. */
  failure: string;
  log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Calls `work` periodically, but not while an earlier call is under way. A failure ends the call, and the next one tries
 * again. The returned function ends this, and aborts the signal that `work` gets.
 */
export function runPeriodically(
  work: (signal: AbortSignal) => Promise<unknown>,
  { intervalMs, beginsAtOnce = false, failure, log }: PeriodicWork,
): () => void {
  const stopping = new AbortController();
  let isBusy = false;
  const run = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await work(stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, failure); // else the database is being closed
    } finally {
      isBusy = false;
    }
  };
  if (beginsAtOnce) void run();
  const timer = setInterval(() => void run(), intervalMs);
  return () => {
    stopping.abort();
    clearInterval(timer);
  };
}
