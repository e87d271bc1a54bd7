import { setPriority } from 'node:os';
import { messageOf } from '../errors.ts';
import { type EncodedText, loadModel, type TextKind } from './encoding.ts';
import type { ModelFiles } from './model-folder.ts';

/** What the process is sent: texts to encode, or the id of a request that nobody waits for any more. */
export type ProcessRequest = { id: number; texts: string[]; kind: TextKind } | { cancel: number };
export type ProcessAnswer = { id: number; texts: EncodedText[] } | { id: number; error: string };

const [header = '', graph = '', weights = '', niceness = '0'] = process.argv.slice(2);
const files: ModelFiles = { header, graph, weights };
setPriority(Number(niceness));
const loading = loadModel(files);
/** Requests that wait. */
const waiting = new Set<number>();
let previous: Promise<void> = Promise.resolve();

process.on('disconnect', () => process.exit());
process.on('message', (request: ProcessRequest) => {
  if ('cancel' in request) waiting.delete(request.cancel);
  else {
    waiting.add(request.id);
    previous = previous.then(() => answer(request));
  }
});

async function answer({ id, texts, kind }: Exclude<ProcessRequest, { cancel: number }>): Promise<void> {
  try {
    const encode = await loading;
    const encoded: EncodedText[] = [];
    for (const text of texts) {
      if (!waiting.has(id)) break;
      encoded.push(await encode(text, kind));
    }
    send(waiting.has(id) ? { id, texts: encoded } : { id, error: 'canceled' });
  } catch (error) {
    send({ id, error: messageOf(error) });
  }
  waiting.delete(id);
}

function send(message: ProcessAnswer): void {
  if (process.connected) process.send?.(message);
}
