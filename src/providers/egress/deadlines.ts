/**
 * Does work under a signal that aborts after a time, or with another signal. The timer ends with the work:
 * `AbortSignal.timeout` would keep its signal until the time is over, some two thousand of them in a crawl.
 */
export async function withDeadline<Value>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  outer?.addEventListener('abort', abort);
  if (outer?.aborted === true) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}

/** Waits for a response. A request that still looks for an address does not heed its signal by itself. */
export async function unlessAborted<Value>(sent: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([sent, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    sent.catch(() => {}); // it fails later, when its connection is there
  }
}
