import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { newNumbering, receiveParts, type SplitPart } from '../index/splitting.service.ts';
import { type ExtractedPage, ExtractionError, type Failure, type ThreadResult, type ThreadTask } from './contract.ts';
import { failureOf } from './failures.ts';
import { kindOf } from './media-types.rules.ts';

/** A thread's answer to a task, with functions for the words of its chunks. */
export type Answer<Task extends ThreadTask = ThreadTask> =
  | (Task extends { page: unknown } ? { read: ExtractedPage; parts?: SplitPart[] } : { parts: SplitPart[] })
  | { failure: Failure };

export interface ReadingThread {
  /**
   * Does a task after those given before. A task that takes too much time or memory is a failure, and ends the thread.
   * Resolves to undefined if the thread ends before the task's turn.
   */
  run<Task extends ThreadTask>(task: Task): Promise<Answer<Task> | undefined>;
  terminate(): Promise<unknown>;
}

const THREAD = new URL('./thread.ts', import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 6 };
const MAX_READ_MS = 2_000;
const MAX_PDF_READ_MS = 10_000;
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const MEMORY_CHECK_MS = 200;
const TOO_MUCH_TIME = 'The page takes too long to be read';
const TOO_MUCH_MEMORY = 'The page takes too much memory to be read';

interface Given {
  task: ThreadTask;
  answer(answer: Answer | undefined): void;
}

/** Resolves when the thread's code is loaded, so that loading does not count towards a page's time. */
export async function startReadingThread(closing: AbortSignal, onEnd: () => void): Promise<ReadingThread> {
  const thread = new Worker(THREAD, { resourceLimits: MEMORY_LIMITS });
  thread.unref();
  thread.on('error', () => undefined); // also while it starts
  try {
    await once(thread, 'message', { signal: closing });
  } catch (error) {
    await thread.terminate();
    closing.throwIfAborted();
    throw error;
  }
  /** The first one is being done. */
  const given: Given[] = [];
  const words = newNumbering();
  let watch: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  const unwatch = () => {
    clearInterval(watch);
    clearTimeout(limit);
  };
  const watchFirst = () => {
    unwatch();
    const [first] = given;
    if (first === undefined) return;
    watch = setInterval(() => void endWhenTooLarge(), MEMORY_CHECK_MS);
    limit = setTimeout(() => end(new ExtractionError('too_slow', TOO_MUCH_TIME)), limitOf(first.task));
  };
  const end = (reason: unknown) => {
    unwatch();
    onEnd();
    void thread.terminate();
    const [first, ...others] = given.splice(0);
    first?.answer({ failure: threadFailureOf(reason) });
    for (const other of others) other.answer(undefined);
  };
  /** Thread limits do not cover buffers, and a PDF of 5 MB can inflate to gigabytes. */
  const endWhenTooLarge = async () => {
    const statistics = await thread.getHeapStatistics().catch(() => undefined); // the thread has just ended
    if (statistics !== undefined && statistics.external_memory > MAX_BUFFER_BYTES)
      end(new ExtractionError('too_large', TOO_MUCH_MEMORY));
  };
  thread
    .on('message', (result: ThreadResult) => {
      given.shift()?.answer(received(result));
      watchFirst();
    })
    .once('error', end)
    .once('exit', () => end(new Error('Its thread has ended')));
  const received = (result: ThreadResult): Answer => {
    if ('failure' in result || result.split === undefined) return result as Answer;
    const { split, ...rest } = result;
    return { ...rest, parts: receiveParts(words, split) };
  };
  return {
    run: <Task extends ThreadTask>(task: Task) =>
      new Promise<Answer<Task> | undefined>((resolve) => {
        given.push({ task, answer: (answer) => resolve(answer as Answer<Task> | undefined) });
        if (given.length === 1) watchFirst();
        send(thread, task);
      }),
    terminate: () => thread.terminate(),
  };
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

/** Returns the failure of a task whose thread was aborted, ran out of memory or ended. */
function threadFailureOf(error: unknown): Failure {
  const { code } = error as { code?: string };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { code: 'too_large', message: TOO_MUCH_MEMORY };
  return failureOf(error);
}
