import { parentPort } from 'node:worker_threads';
import type { MailReadTask } from './mail-reader.ts';
import { parseMime } from './mime.ts';
import { parsedEmailOf } from './parsed-mail.rules.ts';

// Answers each raw e-mail with the parsed e-mail, or with undefined. The first message announces readiness.
parentPort?.on('message', (task: MailReadTask) => void answer(task));
parentPort?.postMessage('ready');

async function answer({ source, folder }: MailReadTask): Promise<void> {
  const raw = typeof source === 'string' ? source : Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const mail = await parseMime(raw, folder).then(parsedEmailOf, () => undefined);
  parentPort?.postMessage(mail);
}
