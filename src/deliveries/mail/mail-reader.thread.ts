import { parentPort } from 'node:worker_threads';
import { parseMime } from './mime.ts';
import { parsedEmailOf } from './parsed-mail.rules.ts';

// Answers each raw e-mail with the parsed e-mail, or with undefined. The first message announces readiness.
parentPort?.on('message', (raw: Uint8Array) => void answer(raw));
parentPort?.postMessage('ready');

async function answer({ buffer, byteOffset, byteLength }: Uint8Array): Promise<void> {
  const mail = await parseMime(Buffer.from(buffer, byteOffset, byteLength)).then(parsedEmailOf, () => undefined);
  parentPort?.postMessage(mail);
}
