import { Piscina } from 'piscina';
import { createFairQueue } from '../concurrency/fair-queue.ts';
import type { Learnt, Lesson } from './learning.rules.ts';

const THREAD = new URL('./learning.rules.ts', import.meta.url).href;
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 1_024 };
const IDLE_MS = 60_000;

export interface TagLearner {
  /**
   * Learns tags as the rules do, in a thread. Orgs take turns, and `read` is called in the org's turn: lessons are large.
   * Throws when the signal is aborted.
   */
  learn(orgId: string, read: () => Promise<Lesson>, signal: AbortSignal): Promise<Learnt>;
  close(): Promise<void>;
}

/** Creates the learner. Its thread is started when it is needed. */
export function createTagLearner(): TagLearner {
  const turns = createFairQueue();
  const thread = new Piscina({
    filename: THREAD,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: MEMORY_LIMITS,
  });
  return {
    learn: (orgId, read, signal) =>
      turns.run(orgId, async () => {
        signal.throwIfAborted();
        return thread.run(await read(), {
          name: 'learnTags' satisfies keyof typeof import('./learning.rules.ts'),
          signal,
        });
      }),
    close: () => thread.destroy(),
  };
}
