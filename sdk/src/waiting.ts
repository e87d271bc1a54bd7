import { sleep } from './sleep.ts';

export interface WaitOptions<Value> {
  /** Whether the wait is over. Default: its `status` or `state` is an end, such as completed or failed. */
  until?: (value: Value) => boolean;
  /** Default: ten minutes. */
  timeoutMs?: number;
  /** The longest time between two reads. Default: 5 seconds. */
  maxIntervalMs?: number;
  signal?: AbortSignal;
}

const FIRST_INTERVAL_MS = 200;
const ENDS = ['done', 'completed', 'complete', 'succeeded', 'failed', 'canceled', 'cancelled', 'expired'];

const stateOf = (value: unknown): string => {
  const { status, state = status } = (value ?? {}) as { status?: unknown; state?: unknown };
  return String(state);
};

const hasEnded = (value: unknown): boolean => ENDS.includes(stateOf(value));

/**
 * Reads again and again until a job or a run has ended, ever less often. Resolves to what was read last. Rejects after the
 * time limit.
 */
export async function waitFor<Value>(
  read: () => Promise<Value>,
  { until = hasEnded, timeoutMs = 600_000, maxIntervalMs = 5_000, signal }: WaitOptions<Value> = {},
): Promise<Value> {
  const giveUpAt = Date.now() + timeoutMs;
  for (let intervalMs = FIRST_INTERVAL_MS; ; intervalMs = Math.min(intervalMs * 1.5, maxIntervalMs)) {
    const value = await read();
    if (until(value)) return value;
    if (Date.now() + intervalMs > giveUpAt)
      throw new Error(`It has not ended within ${timeoutMs} ms: it is ${stateOf(value)}`);
    await sleep(intervalMs, signal);
  }
}
