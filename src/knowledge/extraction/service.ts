import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { createWordList } from '../index/lexemes.service.ts';
import type { SplitText } from '../index/parts.rules.ts';
import { type KnownNumbering, receiveParts, type SplitPart, splitHere } from '../index/splitting.service.ts';
import {
  type ExtractedPage,
  ExtractionError,
  type Failure,
  type Page,
  type ThreadResult,
  type ThreadTask,
} from './contract.ts';
import { kindOf } from './media-types.rules.ts';

export interface Extractor {
  /** Reads a page of HTML, plain text or PDF. Throws ExtractionError. */
  extract(input: Page): Promise<ExtractedPage>;
  /** Splits a text for the search index. */
  split(text: SplitText): Promise<SplitPart[]>;
  close(): Promise<void>;
}

const THREAD = new URL('./thread.ts', import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 6 };
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_READ_MS = 2_000;
const MAX_PDF_READ_MS = 10_000;
const MAX_THREADS = 4;
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const MEMORY_CHECK_MS = 200;
const TOO_MUCH_MEMORY = 'The page takes too much memory to be read';

/** A slot for one task at a time, with what is known of its thread's numbering. The thread is started for the first task. */
interface ThreadSlot extends KnownNumbering {
  thread: Worker | undefined;
}

/**
 * Reads pages in threads, because they come from untrusted sources. Each may have 5 MB and take 2 s, a PDF 10 s. A page
 * exceeding its time or memory ends only its own thread.
 */
export function createExtractor(): Extractor {
  const size = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  const places = Array.from({ length: size }, (): ThreadSlot => ({ thread: undefined, words: createWordList() }));
  const idle = [...places];
  const waiting: ((place: ThreadSlot) => void)[] = [];
  const closing = new AbortController();

  const release = (place: ThreadSlot) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(place);
    else next(place);
  };
  const doAt = async <Task extends ThreadTask>(place: ThreadSlot, task: Task): Promise<ThreadResult<Task>> => {
    closing.signal.throwIfAborted();
    place.thread ??= await startThread(closing.signal, () => {
      place.thread = undefined;
    });
    try {
      return await doInThread(place.thread, task, closing.signal);
    } catch (error) {
      closing.signal.throwIfAborted();
      await place.thread?.terminate();
      return { failure: failureOf(error) };
    }
  };
  const withPlace = async <T>(work: (place: ThreadSlot) => Promise<T>): Promise<T> => {
    const place = idle.pop() ?? (await new Promise<ThreadSlot>((resolve) => waiting.push(resolve)));
    try {
      return await work(place);
    } finally {
      release(place);
    }
  };

  return {
    async extract(page) {
      if (page.bytes.byteLength > MAX_BYTES) throw new ExtractionError('too_large', 'The page is larger than 5 MB');
      const answer = await withPlace((place) => doAt(place, { page }));
      if ('failure' in answer) throw new ExtractionError(answer.failure.code, answer.failure.message);
      return answer.read;
    },
    split: (text) =>
      withPlace(async (place) => {
        const answer = await doAt(place, { text });
        return 'failure' in answer ? splitHere(text) : receiveParts(place, answer.split);
      }),
    async close() {
      closing.abort(new Error('The extractor is closed'));
      await Promise.all(places.map(({ thread }) => thread?.terminate()));
    },
  };
}

async function doInThread<Task extends ThreadTask>(
  thread: Worker,
  task: Task,
  closing: AbortSignal,
): Promise<ThreadResult<Task>> {
  const tooLarge = new AbortController();
  const watch = setInterval(() => void abortWhenTooLarge(thread, tooLarge), MEMORY_CHECK_MS);
  send(thread, task);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(limitOf(task)), tooLarge.signal, closing]);
    const [answer] = await once(thread, 'message', { signal });
    return answer as ThreadResult<Task>;
  } catch (error) {
    throw tooLarge.signal.aborted ? new ExtractionError('too_large', TOO_MUCH_MEMORY) : error;
  } finally {
    clearInterval(watch);
  }
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
 * Aborts a thread with too much buffer memory. Thread limits do not cover buffers, and a PDF of 5 MB can inflate to
 * gigabytes.
 */
async function abortWhenTooLarge(thread: Worker, tooLarge: AbortController): Promise<void> {
  const statistics = await thread.getHeapStatistics().catch(() => undefined); // the thread has just ended
  if (statistics !== undefined && statistics.external_memory > MAX_BUFFER_BYTES) tooLarge.abort();
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

function failureOf(error: unknown): Failure {
  if (error instanceof ExtractionError) return { code: error.code, message: error.message };
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'AbortError') return { code: 'too_slow', message: 'The page takes too long to be read' };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { code: 'too_large', message: TOO_MUCH_MEMORY };
  return {
    code: 'unreadable',
    message: `The page cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  };
}
