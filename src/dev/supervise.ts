import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Child } from './child.ts';

export type Supervised = { stop(graceMs: number): Promise<void> };

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 10_000;
/** A program that ran this long was healthy, so its next start is delayed no longer than the first. */
const HEALTHY_AFTER_MS = 20_000;

/** Keeps a started program running: restarts it after each end, with a message, until it is stopped. */
export function supervise(
  name: string,
  child: Child,
  start: () => Promise<Child>,
  say: (line: string) => void,
): Supervised {
  const stopping = new AbortController();
  let current: Child | undefined = child;

  const watch = async () => {
    let delayMs = 0;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      try {
        current ??= await start();
        const reason = await current.exited;
        if (!stopping.signal.aborted) say(`${name} ended (${reason}), starting it again`);
      } catch (error) {
        if (!stopping.signal.aborted) say(`${name} did not start: ${messageOf(error)}; trying again`);
      }
      current = undefined;
      const wasWell = performance.now() - startedAt > HEALTHY_AFTER_MS;
      delayMs = wasWell ? MIN_DELAY_MS : Math.min(Math.max(2 * delayMs, MIN_DELAY_MS), MAX_DELAY_MS);
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  void watch();

  return {
    async stop(graceMs) {
      stopping.abort();
      await current?.stop(graceMs);
    },
  };
}
