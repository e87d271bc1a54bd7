import { defineSignal, setHandler } from '@temporalio/workflow';

/** Returns a counter of signals without data. Comparing two counts shows whether a signal arrived in between. */
export function countSignals(signal: string): () => number {
  let count = 0;
  setHandler(defineSignal(signal), () => {
    count++;
  });
  return () => count;
}

/** Does `work` once, and again for signals received meanwhile. One call runs at a time, so the last change wins. */
export async function untilUnchanged(signal: string, work: () => Promise<unknown>): Promise<void> {
  const signals = countSignals(signal);
  let seen: number;
  do {
    seen = signals();
    await work();
  } while (signals() > seen);
}
