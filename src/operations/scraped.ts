import { setTimeout as sleep } from 'node:timers/promises';

const READ_TIMEOUT_MS = 2_000;

/**
 * Returns a function that reads at most once in `maxAgeMs`, however often and from wherever it is scraped. It gives
 * undefined if that fails or takes two seconds.
 */
export function readOnceIn<Value>(maxAgeMs: number, read: () => Promise<Value>): () => Promise<Value | undefined> {
  let reading: Promise<Value | undefined> | undefined;
  const forget = () => {
    reading = undefined;
  };
  return () => {
    reading ??= inTime(read()).finally(() => setTimeout(forget, maxAgeMs).unref());
    return reading;
  };
}

async function inTime<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  const tooLate = new AbortController();
  try {
    reading.catch(() => undefined);
    return await Promise.race([reading, sleep(READ_TIMEOUT_MS, undefined, { signal: tooLate.signal })]);
  } catch {
    return undefined;
  } finally {
    tooLate.abort();
  }
}
