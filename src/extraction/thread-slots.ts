import type { ThreadTask } from './contract.ts';
import { type Answer, type ReadingThread, startReadingThread } from './reading-thread.ts';

/**
 * The second waits in the thread, which then need not wait for the main thread. That one may be busy. So a page may wait for
 * another one's time limit while other threads are idle.
 */
const TASKS_PER_THREAD = 2;

/** A place for a thread. The first task starts it. */
interface ThreadSlot {
  thread: Promise<ReadingThread> | undefined;
  tasks: number;
}

export interface ThreadSlots {
  /**
   * Does a task in one of the threads. Tasks wait in the order of the calls. A task that takes too much time or memory is a
   * failure, and ends its thread: one that waited behind it is done by the next thread. Throws once the slots are closed.
   */
  run<Task extends ThreadTask>(task: Task): Promise<Answer<Task>>;
  close(): Promise<void>;
}

export function createThreadSlots(size: number): ThreadSlots {
  const slots = Array.from({ length: size }, (): ThreadSlot => ({ thread: undefined, tasks: 0 }));
  const closing = new AbortController();
  const withSlot = createQueue(slots);
  return {
    run: (task) =>
      withSlot(async (slot) => {
        for (;;) {
          closing.signal.throwIfAborted();
          const thread = await threadOf(slot, closing.signal);
          const answer = await thread.run(task);
          closing.signal.throwIfAborted();
          if (answer !== undefined) return answer;
        }
      }),
    async close() {
      closing.abort(new Error('The extractor is closed'));
      await Promise.allSettled(slots.map(async ({ thread }) => (await thread)?.terminate()));
    },
  };
}

function threadOf(slot: ThreadSlot, closing: AbortSignal): Promise<ReadingThread> {
  if (slot.thread !== undefined) return slot.thread;
  const clear = () => {
    if (slot.thread === thread) slot.thread = undefined; // not its successor
  };
  const thread: Promise<ReadingThread> = startReadingThread(closing, clear);
  thread.catch(clear);
  slot.thread = thread;
  return thread;
}

/** Returns a function that does work in the slot with the fewest tasks. Work waits in the order of its calls. */
function createQueue(slots: readonly ThreadSlot[]) {
  const waiting: ((slot: ThreadSlot) => void)[] = [];
  const reserveSlot = (): ThreadSlot | undefined => {
    const slot = slots.reduce((least, one) => (one.tasks < least.tasks ? one : least));
    if (slot.tasks === TASKS_PER_THREAD) return undefined;
    slot.tasks++;
    return slot;
  };
  return async <T>(work: (slot: ThreadSlot) => Promise<T>): Promise<T> => {
    const slot = reserveSlot() ?? (await new Promise<ThreadSlot>((resolve) => waiting.push(resolve)));
    try {
      return await work(slot);
    } finally {
      const next = waiting.shift();
      if (next === undefined) slot.tasks--;
      else next(slot);
    }
  };
}
