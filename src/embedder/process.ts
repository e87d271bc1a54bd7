import { messageOf } from '../errors.ts';
import { type EncodedText, loadModel, type TextKind } from './encoding.ts';
import type { ModelFiles } from './model-folder.ts';

/** What the process is sent: texts to encode, or the id of a request that nobody waits for any more. */
export type ProcessRequest = { id: number; texts: string[]; kind: TextKind } | { cancel: number };
export type ProcessAnswer = { id: number; texts: EncodedText[] } | { id: number; error: string };

const [header = '', graph = '', weights = ''] = process.argv.slice(2);
const files: ModelFiles = { header, graph, weights };
const loading = loadModel(files);
const canceled = new Set<number>();
let previous: Promise<void> = Promise.resolve();

process.on('disconnect', () => process.exit());
process.on('message', (request: ProcessRequest) => {
  if ('cancel' in request) canceled.add(request.cancel);
  else previous = previous.then(() => answer(request));
});

async function answer({ id, texts, kind }: Exclude<ProcessRequest, { cancel: number }>): Promise<void> {
  try {
    const encode = await loading;
    const encoded: EncodedText[] = [];
    for (const text of texts) {
      if (canceled.has(id)) break;
      encoded.push(await encode(text, kind));
    }
    send(canceled.has(id) ? { id, error: 'canceled' } : { id, texts: encoded });
  } catch (error) {
    send({ id, error: messageOf(error) });
  }
  canceled.delete(id);
}

function send(message: ProcessAnswer): void {
  if (process.connected) process.send?.(message);
}
