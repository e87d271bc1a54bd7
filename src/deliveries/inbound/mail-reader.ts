import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ParsedEmail } from './parsed-mail.rules.ts';

const THREAD = new URL('./mail-reader.thread.ts', import.meta.url);
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const TIMEOUT_MS = 20_000;

export interface MailReader {
  /**
   * Reads one mail at a time, loaded when its turn has come. Gives undefined where there is none or it cannot be read, for which it has
   * 20 s and 256 MB. Rejects where no mail could be.
   */
  read(load: () => Promise<Buffer | null>): Promise<ParsedEmail | undefined>;
  close(): Promise<void>;
}

/** Reads mail in a thread of its own, as mail is made by strangers: what it does to the parser is done to the thread alone. */
export function createMailReader(timeoutMs = TIMEOUT_MS): MailReader {
  let thread: Worker | undefined; // started by the first mail, as it takes 50 MB
  let isClosed = false;
  let turn: Promise<unknown> = Promise.resolve();

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
    try {
      const [mail] = await once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) });
      return mail as ParsedEmail | undefined;
    } catch {
      if (isClosed) throw new Error('The mail reader was closed');
      await end();
      return undefined;
    }
  };

  return {
    read(load) {
      const mail = turn.then(load).then((raw) => (raw === null ? undefined : readNow(raw)));
      turn = mail.catch(() => undefined);
      return mail;
    },
    close() {
      isClosed = true;
      return end();
    },
  };
}

/** Resolves when its code is loaded, so that a failure to load is not taken for that of a mail. */
async function startThread(onExit: () => void): Promise<Worker> {
  const thread = new Worker(THREAD, { resourceLimits: RESOURCE_LIMITS });
  thread.unref();
  await once(thread, 'message');
  thread.on('error', () => undefined); // whoever waits for its answer is told
  thread.once('exit', onExit);
  return thread;
}
