import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import type { MailReadResult, MailReadTask } from './mail-reader.ts';
import { parseMime } from './mime.ts';
import { parsedEmailOf } from './parsed-mail.rules.ts';

// Answers each raw e-mail with the parsed e-mail, with none if it cannot be read, or with the failure of its files. The
// first message announces readiness.
parentPort?.on('message', (task: MailReadTask) => void answer(task));
parentPort?.postMessage('ready');

async function answer({ source, folder }: MailReadTask): Promise<void> {
  const raw = typeof source === 'string' ? source : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const result = await parseMime(raw, folder)
    .then((parsed): MailReadResult => ({ mail: parsedEmailOf(parsed) }))
    .catch(
      (error: unknown): MailReadResult => (isOfSystem(error) ? { failure: messageOf(error) } : { mail: undefined }),
    );
  parentPort?.postMessage(result);
}

/** Whether a file could not be read or written, as where the disk is full. */
const isOfSystem = (error: unknown): boolean => typeof error === 'object' && error !== null && 'syscall' in error;
