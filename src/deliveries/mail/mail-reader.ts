import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFairQueue } from '../../concurrency/fair-queue.ts';
import { createSpoolFolder } from '../../media/spool.ts';
import type { ParsedEmail } from './parsed-mail.rules.ts';
import type { RawMail } from './raw-mail.ts';

const THREAD = new URL('./mail-reader.thread.ts', import.meta.url);
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const TIMEOUT_MS = 20_000;

/** Reading took too long, because of the e-mail or because the worker is busy. */
export class MailReadTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`Reading the e-mail took more than ${timeoutMs} ms`);
    this.name = 'MailReadTimeout';
  }
}

/** An e-mail, or the path of its file with the folder for its files. */
export interface MailReadTask {
  source: Uint8Array | string;
  folder: string | undefined;
}

/** `failure`: its files failed, and not the e-mail. */
export type MailReadResult = { mail: ParsedEmail | undefined } | { failure: string };

/** An e-mail and what was read of it. Its temporary files are gone once it is disposed of. */
export interface MailReading extends AsyncDisposable {
  /** Null if there is none. */
  raw: RawMail | null;
  /** Undefined if there is none, or if reading it failed or exceeded 256 MB. */
  mail: ParsedEmail | undefined;
}

export interface MailReader {
  /**
   * Reads one e-mail at a time, loaded when its turn comes; orgs take turns. Rejects with MailReadTimeout after 20 s, and if
   * the reader itself cannot run. The caller must dispose of the reading.
   */
  read(orgId: string, load: () => Promise<RawMail | null>): Promise<MailReading>;
  close(): Promise<void>;
}

/** Reads e-mail in a separate thread: hostile e-mail can only harm this thread. */
export function createMailReader(timeoutMs = TIMEOUT_MS): MailReader {
  let thread: Worker | undefined; // started by the first e-mail, as it needs 50 MB
  let isClosed = false;
  const queue = createFairQueue();

  const end = async () => {
    await thread?.terminate();
    thread = undefined;
  };
  const readNow = async (task: MailReadTask): Promise<ParsedEmail | undefined> => {
    if (isClosed) throw new Error('The mail reader is closed');
    thread ??= await startThread(() => {
      thread = undefined;
    });
    thread.postMessage(task);
    const signal = AbortSignal.timeout(timeoutMs);
    let result: MailReadResult;
    try {
      const [answer] = await once(thread, 'message', { signal });
      result = answer as MailReadResult;
    } catch {
      if (isClosed) throw new Error('The mail reader was closed');
      await end();
      if (signal.aborted) throw new MailReadTimeout(timeoutMs);
      return undefined;
    }
    if ('failure' in result) throw new Error(`An e-mail could not be read: ${result.failure}`);
    return result.mail;
  };

  return {
    read: (orgId, load) =>
      queue.run(orgId, async () => {
        const raw = await load();
        return raw === null ? NO_MAIL : readingOf(raw, readNow);
      }),
    close() {
      isClosed = true;
      return end();
    },
  };
}

/** What is read where there is no e-mail, or it cannot be read. */
export const NO_MAIL: MailReading = { raw: null, mail: undefined, [Symbol.asyncDispose]: async () => undefined };

/** Files of a large e-mail are in a folder of the reading. */
async function readingOf(
  raw: RawMail,
  read: (task: MailReadTask) => Promise<ParsedEmail | undefined>,
): Promise<MailReading> {
  const { source } = raw;
  const folder = typeof source === 'string' ? await createSpoolFolder() : undefined;
  const dispose = async () => {
    await Promise.all([raw[Symbol.asyncDispose](), folder?.remove()]);
  };
  try {
    return { raw, mail: await read({ source, folder: folder?.path }), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Resolves after its code is loaded, so a failure to load is not mistaken for an unreadable e-mail. */
async function startThread(onExit: () => void): Promise<Worker> {
  const thread = new Worker(THREAD, { resourceLimits: RESOURCE_LIMITS });
  thread.unref();
  await once(thread, 'message');
  thread.on('error', () => undefined); // the pending read reports the failure
  thread.once('exit', onExit);
  return thread;
}
