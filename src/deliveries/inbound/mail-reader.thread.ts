import { parentPort } from 'node:worker_threads';
import { simpleParser } from 'mailparser';
import { parsedEmailOf } from './parsed-mail.rules.ts';

/** Without the first three, a megabyte of HTML takes 13 s. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepDeliveryStatus: true,
};

// A program that answers each mail with what it says, or with undefined. Its first message says that it is ready.
parentPort?.on('message', (raw: Uint8Array) => void answer(raw));
parentPort?.postMessage('ready');

async function answer({ buffer, byteOffset, byteLength }: Uint8Array): Promise<void> {
  const mail = await simpleParser(Buffer.from(buffer, byteOffset, byteLength), OPTIONS).then(
    parsedEmailOf,
    () => undefined,
  );
  parentPort?.postMessage(mail);
}
