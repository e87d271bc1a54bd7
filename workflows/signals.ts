import { defineSignal, setHandler } from '@temporalio/workflow';

/** Counts signals that say only "look". Whoever compares two counts misses none. */
export function countSignals(signal: string): () => number {
  let count = 0;
  setHandler(defineSignal(signal), () => {
    count++;
  });
  return () => count;
}

/** Does work once, and again as long as a signal says that it has to be done anew: one at a time, so that the last change stays. */
export async function untilUnchanged(signal: string, work: () => Promise<unknown>): Promise<void> {
  const signals = countSignals(signal);
  let seen: number;
  do {
    seen = signals();
    await work();
  } while (signals() > seen);
}
