import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { kindOf } from './media-types.rules.ts';

/** The content and metadata of a page. */
export interface ExtractedPage {
  title: string;
  markdown: string;
  language: string | null;
  canonical: string | null;
  isNoindex: boolean;
  isNofollow: boolean;
  /** Absolute http(s) addresses in document order, without fragments. */
  links: string[];
  /** The number of further references, beyond the limit of links. */
  cutLinks: number;
  /** The target of an automatic redirect in the page. */
  refresh: string | null;
  /** Little text and mostly scripts: a browser would show more. */
  looksScripted: boolean;
}

export interface Page {
  bytes: Uint8Array;
  contentType: string | null;
  /** The address of the page. */
  url: string;
  /** Parameters that links of the same host are read without. */
  ignoredParameters?: readonly string[];
}

export interface Extractor {
  /** Reads a page of HTML, plain text or PDF. Throws ExtractionError. */
  extract(input: Page): Promise<ExtractedPage>;
  close(): Promise<void>;
}

type ExtractionFailure = 'too_slow' | 'too_large' | 'unreadable' | 'unsupported_type';

export class ExtractionError extends Error {
  readonly code: ExtractionFailure;

  constructor(code: ExtractionFailure, message: string) {
    super(message);
    this.name = 'ExtractionError';
    this.code = code;
  }
}

/** A thread's answer for a page. */
export type ThreadResult = { read: ExtractedPage } | { failure: Failure };

export interface Failure {
  code: ExtractionFailure;
  message: string;
}

const THREAD = new URL('./thread.ts', import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 12 };
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_READ_MS = 2_000;
const MAX_PDF_READ_MS = 10_000;
const MAX_THREADS = 4;
const MAX_BUFFER_BYTES = 256 * 1024 * 1024;
const MEMORY_CHECK_MS = 200;
const TOO_MUCH_MEMORY = 'The page takes too much memory to be read';

/** A slot for one page at a time. Its thread is started for the first page. */
interface ThreadSlot {
  thread: Worker | undefined;
}

/**
 * Reads pages in threads, because they come from untrusted sources. Each may have 5 MB and take 2 s, a PDF 10 s. A page
 * exceeding its time or memory ends only its own thread.
 */
export function createExtractor(): Extractor {
  const size = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  const places = Array.from({ length: size }, (): ThreadSlot => ({ thread: undefined }));
  const idle = [...places];
  const waiting: ((place: ThreadSlot) => void)[] = [];
  const closing = new AbortController();

  const release = (place: ThreadSlot) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(place);
    else next(place);
  };
  const readAt = async (place: ThreadSlot, page: Page): Promise<ThreadResult> => {
    closing.signal.throwIfAborted();
    place.thread ??= await startThread(closing.signal, () => {
      place.thread = undefined;
    });
    try {
      return await readInThread(place.thread, page, closing.signal);
    } catch (error) {
      closing.signal.throwIfAborted();
      await place.thread?.terminate();
      return { failure: failureOf(error) };
    }
  };

  return {
    async extract(page) {
      if (page.bytes.byteLength > MAX_BYTES) throw new ExtractionError('too_large', 'The page is larger than 5 MB');
      const place = idle.pop() ?? (await new Promise<ThreadSlot>((resolve) => waiting.push(resolve)));
      try {
        const answer = await readAt(place, page);
        if ('read' in answer) return answer.read;
        throw new ExtractionError(answer.failure.code, answer.failure.message);
      } finally {
        release(place);
      }
    },
    async close() {
      closing.abort(new Error('The extractor is closed'));
      await Promise.all(places.map(({ thread }) => thread?.terminate()));
    },
  };
}

async function readInThread(thread: Worker, page: Page, closing: AbortSignal): Promise<ThreadResult> {
  const limitMs = kindOf(page.bytes, page.contentType) === 'pdf' ? MAX_PDF_READ_MS : MAX_READ_MS;
  const bytes = new Uint8Array(page.bytes); // a Buffer may be a view of a much larger memory
  const tooLarge = new AbortController();
  const watch = setInterval(() => void abortWhenTooLarge(thread, tooLarge), MEMORY_CHECK_MS);
  thread.postMessage({ ...page, bytes }, [bytes.buffer]);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(limitMs), tooLarge.signal, closing]);
    const [answer] = await once(thread, 'message', { signal });
    return answer as ThreadResult;
  } catch (error) {
    throw tooLarge.signal.aborted ? new ExtractionError('too_large', TOO_MUCH_MEMORY) : error;
  } finally {
    clearInterval(watch);
  }
}

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
