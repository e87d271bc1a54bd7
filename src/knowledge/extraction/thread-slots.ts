import type { ThreadTask } from './contract.ts';
import { type Answer, type ReadingThread, startReadingThread } from './reading-thread.ts';

/** A thread has its next task when one is done, also while this one is busy and does not hear of it. */
const TASKS_PER_THREAD = 2;

/** A place for a thread. The first task starts it. */
interface ThreadSlot {
  thread: Promise<ReadingThread> | undefined;
  tasks: number;
}

export interface ThreadSlots {
  /**
   * Does a task in one of the threads, in the order of the calls. A task that takes too much time or memory is a failure,
   * and ends its thread. Throws once the slots are closed.
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
  const forget = () => {
    if (slot.thread === thread) slot.thread = undefined;
  };
  const thread = slot.thread ?? startReadingThread(closing, () => forget());
  if (slot.thread === undefined) thread.catch(forget);
  slot.thread = thread;
  return thread;
}

/** Returns a function that gives works slots, in the order of its calls: the one with the fewest tasks. */
function createQueue(slots: readonly ThreadSlot[]) {
  const waiting: ((slot: ThreadSlot) => void)[] = [];
  const takeSlot = (): ThreadSlot | undefined => {
    const slot = slots.reduce((least, one) => (one.tasks < least.tasks ? one : least));
    if (slot.tasks === TASKS_PER_THREAD) return undefined;
    slot.tasks++;
    return slot;
  };
  return async <T>(work: (slot: ThreadSlot) => Promise<T>): Promise<T> => {
    const slot = takeSlot() ?? (await new Promise<ThreadSlot>((resolve) => waiting.push(resolve)));
    try {
      return await work(slot);
    } finally {
      const next = waiting.shift();
      if (next === undefined) slot.tasks--;
      else next(slot);
    }
  };
}
