import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFairQueue } from '../../concurrency/fair-queue.ts';
import type { ParsedEmail } from './parsed-mail.rules.ts';

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

export interface MailReader {
  /**
   * Reads one e-mail at a time, loaded when its turn comes; orgs take turns. Returns undefined if there is none, or if
   * reading it fails or exceeds 256 MB. Rejects with MailReadTimeout after 20 s, and if the reader itself cannot run.
   */
  read(orgId: string, load: () => Promise<Buffer | null>): Promise<ParsedEmail | undefined>;
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
  const readNow = async (raw: Buffer): Promise<ParsedEmail | undefined> => {
    if (isClosed) throw new Error('The mail reader is closed');
    thread ??= await startThread(() => {
      thread = undefined;
    });
    thread.postMessage(raw);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const [mail] = await once(thread, 'message', { signal });
      return mail as ParsedEmail | undefined;
    } catch {
      if (isClosed) throw new Error('The mail reader was closed');
      await end();
      if (signal.aborted) throw new MailReadTimeout(timeoutMs);
      return undefined;
    }
  };

  return {
    read: (orgId, load) =>
      queue.run(orgId, async () => {
        const raw = await load();
        return raw === null ? undefined : readNow(raw);
      }),
    close() {
      isClosed = true;
      return end();
    },
  };
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
