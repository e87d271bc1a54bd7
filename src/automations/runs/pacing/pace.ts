import { setTimeout as sleep, setImmediate as yieldToOthers } from 'node:timers/promises';
import { createFairQueue } from '../../../concurrency/fair-queue.ts';

/** An iteration of the event loop below this time delays nobody. */
const SHORT_MS = 5;

const turns = createFairQueue();

/**
 * Waits until a step of the org may compute. Only one step of this process begins in an iteration of the event loop, and
 * after a long iteration the loop is free for as long, so that the large inputs of one org delay other work little.
 */
export const waitForPace = (orgId: string): Promise<void> =>
  turns.run(orgId, async () => {
    const startedAt = performance.now();
    await yieldToOthers();
    const tookMs = performance.now() - startedAt;
    if (tookMs > SHORT_MS) await sleep(tookMs);
  });

/** Paces many short steps of one org together. */
export interface Pacer {
  /** Waits like waitForPace if the steps have computed for long since the last time. */
  wait(): Promise<void>;
  /** Counts the time in which a step computed. */
  add(computedMs: number): void;
}

export function createPacer(orgId: string): Pacer {
  let computed = 0;
  return {
    async wait() {
      if (computed < SHORT_MS) return;
      computed = 0;
      await waitForPace(orgId);
    },
    add(computedMs) {
      computed += computedMs;
    },
  };
}
