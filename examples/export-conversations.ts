// Exports all conversations, counts their messages line by line, checks the file, and deletes it.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/export-conversations.ts
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });

const { id } = await switchboard.startExport({ body: { resource: 'conversations', format: 'ndjson' } });
const job = await waitFor(() => switchboard.getExport({ path: { id } }));
if (job.url === null) throw new Error(`The export is ${job.status}: ${job.reason}`);
try {
  const { body } = await fetch(job.url);
  if (body === null) throw new Error('The link gave no file');
  const hash = createHash('sha256');
  const bytes = Readable.fromWeb(body).on('data', (chunk: Uint8Array) => hash.update(chunk));
  let messages = 0;
  for await (const line of createInterface(bytes))
    messages += JSON.parse(line).history.filter(
      ({ event }: { event: { type: string } }) => event.type === 'message',
    ).length;
  if (hash.digest('hex') !== job.sha256) throw new Error('The file is not complete');
  console.log(`${job.rows} conversations with ${messages} messages`);
} finally {
  await switchboard.cancelExport({ path: { id } }); // deletes the file
}
