import { Piscina } from 'piscina';
import { createFairQueue } from '../concurrency/fair-queue.ts';
import { codeOf, TooManyRequests, unavailable } from '../errors.ts';
import { type DocumentResult, InvalidDocument } from './openapi.ts';

/** How a kind of documents is read. */
export interface DocumentFormat<Read> {
  /** The module that exports `read`. The thread loads it. */
  module: URL;
  /** The name of this export. In the bundle of a program, `read` may have another one. */
  name: string;
  read(text: string): DocumentResult<Read>;
}

export interface DocumentReader {
  /**
   * Reads a document in a separate thread, one at a time; orgs take turns. Throws InvalidDocument if it is none, or takes
   * more than the time or memory of a document. Throws TooManyRequests if the org already has two documents here, and
   * unavailable if too many wait, or its turn does not come in time.
   */
  read<Read>(orgId: string, format: DocumentFormat<Read>, text: string): Promise<Read>;
  close(): Promise<void>;
}

export interface DocumentLimits {
  maxReadMs: number;
  maxMemoryMb: number;
  /** From the request on until the turn of its document. */
  maxWaitMs: number;
}

const LIMITS: DocumentLimits = { maxReadMs: 10_000, maxMemoryMb: 256, maxWaitMs: 20_000 };
const DOCUMENTS_PER_ORG = 2;
const MAX_DOCUMENTS = 16;
const RETRY_AFTER_SECONDS = 5;
const IDLE_MS = 60_000;

/** Creates the reader. Its thread is started when it is needed: a costly document harms only this thread. */
export function createDocumentReader(limits = LIMITS): DocumentReader {
  const { maxReadMs, maxMemoryMb, maxWaitMs } = limits;
  const places = createPlaces();
  const turns = createFairQueue();
  const thread = new Piscina({
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });

  const readNow = async <Read>({ module, name }: DocumentFormat<Read>, text: string): Promise<DocumentResult<Read>> => {
    const signal = AbortSignal.timeout(maxReadMs);
    try {
      return await thread.run(text, { filename: module.href, name, signal });
    } catch (error) {
      if (signal.aborted) return { problem: `takes more than ${maxReadMs / 1_000} s to be read: send less` };
      if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY')
        return { problem: `takes more than ${maxMemoryMb} MB of memory to be read: send less` };
      throw error;
    }
  };
  const inTurn = <Result>(orgId: string, work: () => Promise<Result>): Promise<Result> => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(busy());
    }, maxWaitMs);
    const turn = turns.run(orgId, async () => {
      clearTimeout(timer);
      if (!isLate) resolve(await work());
    });
    turn.catch(reject);
    return promise;
  };

  return {
    async read(orgId, format, text) {
      const leave = places.enter(orgId);
      try {
        const result = await inTurn(orgId, () => readNow(format, text));
        if ('problem' in result) throw new InvalidDocument(result.problem);
        return result.read;
      } finally {
        leave();
      }
    },
    close: () => thread.destroy(),
  };
}

/** Counts the documents of each org that are read or wait. */
function createPlaces() {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Returns a function that gives the place back. */
    enter(orgId: string): () => void {
      const own = taken.get(orgId) ?? 0;
      if (own === DOCUMENTS_PER_ORG)
        throw new TooManyRequests(
          `At most ${DOCUMENTS_PER_ORG} documents of an org are read at once: send the next one after them`,
          RETRY_AFTER_SECONDS,
          { code: 'too_many_at_once', limit: 'documents' },
        );
      if (all === MAX_DOCUMENTS) throw busy();
      taken.set(orgId, own + 1);
      all += 1;
      return () => {
        all -= 1;
        const remaining = (taken.get(orgId) ?? 1) - 1;
        if (remaining === 0) taken.delete(orgId);
        else taken.set(orgId, remaining);
      };
    },
  };
}

const busy = () => unavailable('Other documents are being read: try again soon');
