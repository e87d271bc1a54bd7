import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { codeOf } from '../errors.ts';
import { newNumbering, receiveParts, type SplitPart } from '../knowledge/index/splitting.service.ts';
import { ExtractionError, type Failure, type ThreadResult, type ThreadTask } from './contract.ts';
import { failureOf } from './failures.ts';
import { kindOf } from './media-types.rules.ts';

/** A thread's answer to a task, with functions for the words of its chunks. */
export type Answer<Task extends ThreadTask = ThreadTask> = ThreadResult<Task, SplitPart[]>;

export interface ReadingThread {
  /**
   * Does the tasks in the order of the calls. A task that takes too much time or memory is a failure, and ends the thread.
   * Resolves to undefined if the thread ends before the task's turn.
   */
  run<Task extends ThreadTask>(task: Task): Promise<Answer<Task> | undefined>;
  terminate(): Promise<unknown>;
}

const THREAD = new URL('./thread.ts', import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 6 };
/** Of the processor: a busy machine makes no page unreadable. */
const MAX_READ_MS = 2_000;
const MAX_PDF_READ_MS = 10_000;
/** How many times its limit a page may take by the clock. */
const MAX_SLOWDOWN = 4;
const MAX_BUFFER_BYTES = 128 * 1024 * 1024;
const CHECK_MS = 200;
const TOO_MUCH_TIME = 'The page takes too long to be read';
const TOO_MUCH_MEMORY = 'The page takes too much memory to be read';

interface PendingTask {
  task: ThreadTask;
  resolve(answer: Answer | undefined): void;
}

/** Starts a thread. Calls `onEnd` when it does no more tasks. Throws if `closing` aborts before the thread has started. */
export async function startReadingThread(closing: AbortSignal, onEnd: () => void): Promise<ReadingThread> {
  const worker = await startWorker(closing);
  const numbering = newNumbering();
  /** In the order of the calls. The thread works on the first one. */
  const pending: PendingTask[] = [];
  let isEnded = false;

  const end = (reason: unknown) => {
    if (isEnded) return;
    isEnded = true;
    watch.stop();
    onEnd();
    void worker.terminate();
    const [first, ...others] = pending.splice(0);
    first?.resolve({ failure: threadFailureOf(reason) });
    for (const other of others) other.resolve(undefined);
  };
  const watch = createWatch(worker, end);
  const watchFirst = () => {
    watch.stop();
    const [first] = pending;
    if (first !== undefined) watch.begin(first.task);
  };
  const answerOf = (result: ThreadResult): Answer =>
    'failure' in result || result.split === undefined
      ? (result as Answer)
      : { ...result, split: receiveParts(numbering, result.split) };
  worker
    .on('message', (result: ThreadResult) => {
      pending.shift()?.resolve(answerOf(result));
      watchFirst();
    })
    .once('error', end)
    .once('messageerror', end)
    .once('exit', () => end(new Error('Its thread has ended')));
  return {
    run: async <Task extends ThreadTask>(task: Task) => {
      if (isEnded) return undefined;
      send(worker, task); // first, as it may throw: each pending task gets the next answer
      const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
      pending.push({ task, resolve });
      if (pending.length === 1) watchFirst();
      return (await promise) as Answer<Task> | undefined;
    },
    terminate: () => worker.terminate(),
  };
}

/** Resolves when the thread's code is loaded, so that loading does not count towards a page's time. */
async function startWorker(closing: AbortSignal): Promise<Worker> {
  const worker = new Worker(THREAD, { resourceLimits: MEMORY_LIMITS });
  worker.unref();
  worker.on('error', () => undefined); // also while it starts
  try {
    await once(worker, 'message', { signal: closing });
  } catch (error) {
    await worker.terminate();
    closing.throwIfAborted();
    throw error;
  }
  return worker;
}

/**
 * Ends a thread whose task takes too much time or buffer memory. Thread limits do not cover buffers, and a PDF of 5 MB can
 * inflate to gigabytes.
 */
function createWatch(worker: Worker, end: (reason: ExtractionError) => void) {
  let watched: ThreadTask | undefined;
  let interval: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  const tooSlow = () => new ExtractionError('too_slow', TOO_MUCH_TIME);
  const createCheck = (task: ThreadTask) => {
    const before = worker.cpuUsage().catch(() => undefined);
    return async () => {
      const [statistics, start] = await Promise.all([worker.getHeapStatistics(), before]);
      const used = await worker.cpuUsage(start);
      if (watched !== task) return;
      if (statistics.external_memory > MAX_BUFFER_BYTES) end(new ExtractionError('too_large', TOO_MUCH_MEMORY));
      else if ((used.user + used.system) / 1_000 > limitOf(task)) end(tooSlow());
    };
  };
  return {
    begin(task: ThreadTask) {
      watched = task;
      const check = createCheck(task);
      interval = setInterval(() => void check().catch(() => undefined), CHECK_MS); // fails once the thread has ended
      limit = setTimeout(() => end(tooSlow()), limitOf(task) * MAX_SLOWDOWN);
    },
    stop() {
      watched = undefined;
      clearInterval(interval);
      clearTimeout(limit);
    },
  };
}

function send(worker: Worker, task: ThreadTask): void {
  if ('text' in task) {
    worker.postMessage(task);
    return;
  }
  const bytes = new Uint8Array(task.page.bytes); // a Buffer may be a view of a much larger memory
  worker.postMessage({ page: { ...task.page, bytes } }, [bytes.buffer]);
}

const limitOf = (task: ThreadTask): number =>
  'page' in task && kindOf(task.page.bytes, task.page.contentType) === 'pdf' ? MAX_PDF_READ_MS : MAX_READ_MS;

/** Returns the failure of a task whose thread was aborted, ran out of memory or ended. */
function threadFailureOf(error: unknown): Failure {
  const code = codeOf(error);
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { code: 'too_large', message: TOO_MUCH_MEMORY };
  return failureOf(error);
}
