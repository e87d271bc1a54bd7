import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type KnownNumbering, newNumbering } from '../index/splitting.service.ts';
import { ExtractionError, type Failure, type ThreadResult, type ThreadTask } from './contract.ts';
import { failureOf } from './failures.ts';
import { kindOf } from './media-types.rules.ts';

const THREAD = new URL('./thread.ts', import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 6 };
const MAX_READ_MS = 2_000;
const MAX_PDF_READ_MS = 10_000;
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const MEMORY_CHECK_MS = 200;
const TOO_MUCH_TIME = 'The page takes too long to be read';
const TOO_MUCH_MEMORY = 'The page takes too much memory to be read';

/** A slot for one task at a time, with what is known of its thread's numbering. The first task starts the thread. */
interface ThreadSlot extends KnownNumbering {
  thread: Worker | undefined;
}

export interface ThreadSlots {
  /** Calls `work` with an idle slot, and waits for one if all are in use. */
  withSlot<T>(work: (slot: ThreadSlot) => Promise<T>): Promise<T>;
  /**
   * Does a task in a slot's thread. A task that takes too much time or memory is a failure, and ends its thread. Throws
   * once the slots are closed.
   */
  runIn<Task extends ThreadTask>(slot: ThreadSlot, task: Task): Promise<ThreadResult<Task>>;
  close(): Promise<void>;
}

export function createThreadSlots(size: number): ThreadSlots {
  const slots = Array.from({ length: size }, (): ThreadSlot => ({ thread: undefined, ...newNumbering() }));
  const closing = new AbortController();
  return {
    withSlot: createQueue(slots),
    async runIn(slot, task) {
      closing.signal.throwIfAborted();
      slot.thread ??= await startThread(closing.signal, () => {
        slot.thread = undefined;
      });
      try {
        return await runInThread(slot.thread, task, closing.signal);
      } catch (error) {
        closing.signal.throwIfAborted();
        await slot.thread?.terminate();
        return { failure: threadFailureOf(error) };
      }
    },
    async close() {
      closing.abort(new Error('The extractor is closed'));
      await Promise.all(slots.map(({ thread }) => thread?.terminate()));
    },
  };
}

/** Returns a function that gives each work a slot of its own. Work waits for slots in the order of its calls. */
function createQueue(slots: readonly ThreadSlot[]): ThreadSlots['withSlot'] {
  const idle = [...slots];
  const waiting: ((slot: ThreadSlot) => void)[] = [];
  const release = (slot: ThreadSlot) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(slot);
    else next(slot);
  };
  return async (work) => {
    const slot = idle.pop() ?? (await new Promise<ThreadSlot>((resolve) => waiting.push(resolve)));
    try {
      return await work(slot);
    } finally {
      release(slot);
    }
  };
}

function runInThread<Task extends ThreadTask>(
  thread: Worker,
  task: Task,
  closing: AbortSignal,
): Promise<ThreadResult<Task>> {
  return new Promise<ThreadResult<Task>>((resolve, reject) => {
    const close = () => settle(() => reject(closing.reason));
    const fail = (error: unknown) => settle(() => reject(error));
    const finish = (answer: ThreadResult<Task>) => settle(() => resolve(answer));
    const watch = setInterval(() => void failWhenTooLarge(thread, fail), MEMORY_CHECK_MS);
    const limit = setTimeout(() => fail(new ExtractionError('too_slow', TOO_MUCH_TIME)), limitOf(task));
    const settle = (end: () => void) => {
      clearInterval(watch);
      clearTimeout(limit);
      closing.removeEventListener('abort', close);
      thread.off('error', fail).off('message', finish);
      end();
    };
    closing.addEventListener('abort', close);
    thread.on('error', fail).on('message', finish);
    send(thread, task);
  });
}

function send(thread: Worker, task: ThreadTask): void {
  if ('text' in task) {
    thread.postMessage(task);
    return;
  }
  const bytes = new Uint8Array(task.page.bytes); // a Buffer may be a view of a much larger memory
  thread.postMessage({ page: { ...task.page, bytes } }, [bytes.buffer]);
}

const limitOf = (task: ThreadTask): number =>
  'page' in task && kindOf(task.page.bytes, task.page.contentType) === 'pdf' ? MAX_PDF_READ_MS : MAX_READ_MS;

/**
 * Fails a task whose thread has too much buffer memory. Thread limits do not cover buffers, and a PDF of 5 MB can
 * inflate to gigabytes.
 */
async function failWhenTooLarge(thread: Worker, fail: (error: unknown) => void): Promise<void> {
  const statistics = await thread.getHeapStatistics().catch(() => undefined); // the thread has just ended
  if (statistics !== undefined && statistics.external_memory > MAX_BUFFER_BYTES)
    fail(new ExtractionError('too_large', TOO_MUCH_MEMORY));
}

/** Resolves when the thread's code is loaded, so that loading does not count towards a page's time. */
async function startThread(closing: AbortSignal, onExit: () => void): Promise<Worker> {
  const thread = new Worker(THREAD, { resourceLimits: MEMORY_LIMITS });
  thread.unref();
  thread.on('error', () => undefined); // the code waiting for the answer handles the error
  try {
    await once(thread, 'message', { signal: closing });
  } catch (error) {
    await thread.terminate();
    closing.throwIfAborted();
    throw error;
  }
  thread.once('exit', onExit);
  return thread;
}

/** Returns the failure of a task whose thread was aborted, ran out of memory or ended. */
function threadFailureOf(error: unknown): Failure {
  const { code } = error as { code?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { code: 'too_large', message: TOO_MUCH_MEMORY };
  return failureOf(error);
}
