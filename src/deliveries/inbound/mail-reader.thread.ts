import { parentPort } from 'node:worker_threads';
import { simpleParser } from 'mailparser';
import { parsedEmailOf } from './parsed-mail.rules.ts';

/** Without the first three, parsing a megabyte of HTML takes 13 s. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepDeliveryStatus: true,
};

// Answers each raw e-mail with the parsed e-mail, or with undefined. The first message announces readiness.
parentPort?.on('message', (raw: Uint8Array) => void answer(raw));
parentPort?.postMessage('ready');

async function answer({ buffer, byteOffset, byteLength }: Uint8Array): Promise<void> {
  const mail = await simpleParser(Buffer.from(buffer, byteOffset, byteLength), OPTIONS).then(
    parsedEmailOf,
    () => undefined,
  );
  parentPort?.postMessage(mail);
}
