import { setPriority } from 'node:os';
import { messageOf } from '../errors.ts';
import { type Closeness, type ComparedPassage, createComparison } from './comparison.ts';
import { type EncodedText, loadModel, type TextKind } from './encoding.ts';
import type { ModelFiles } from './model-folder.ts';

/** What the process is asked: to encode texts, or to compare a question with passages. */
export type ProcessWork = { texts: string[]; kind: TextKind } | { question: string; passages: ComparedPassage[] };
/** What the process is sent: work, or the id of a request that nobody waits for any more. */
export type ProcessRequest = ({ id: number } & ProcessWork) | { cancel: number };
export type ProcessResult = { texts: EncodedText[] } | { closeness: Closeness[] };
export type ProcessAnswer = ({ id: number } & ProcessResult) | { id: number; error: string };

const [header = '', graph = '', reader = '', weights = '', niceness = '0'] = process.argv.slice(2);
const files: ModelFiles = { header, graph, reader, weights };
setPriority(Number(niceness));
const loading = loadModel(files).then((model) => ({ ...model, ...createComparison(model) }));
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

async function answer({ id, ...work }: Exclude<ProcessRequest, { cancel: number }>): Promise<void> {
  try {
    const result = await ('texts' in work ? encodeAll(id, work) : compareAll(id, work));
    send(waiting.has(id) ? { id, ...result } : { id, error: 'canceled' });
  } catch (error) {
    send({ id, error: messageOf(error) });
  }
  waiting.delete(id);
}

async function encodeAll(id: number, { texts, kind }: { texts: string[]; kind: TextKind }): Promise<ProcessResult> {
  const { encode, encodeQuery } = await loading;
  const encoded: EncodedText[] = [];
  for (const text of texts) {
    if (!waiting.has(id)) break;
    const { pieces: _, states: __, ...rest } = await (kind === 'query' ? encodeQuery(text) : encode(text, kind));
    encoded.push(rest);
  }
  return { texts: encoded };
}

async function compareAll(
  id: number,
  { question, passages }: { question: string; passages: ComparedPassage[] },
): Promise<ProcessResult> {
  const { compare } = await loading;
  const closeness: Closeness[] = [];
  for (const passage of passages) {
    if (!waiting.has(id)) break;
    closeness.push(await compare(question, passage, () => !waiting.has(id)));
  }
  return { closeness };
}

function send(message: ProcessAnswer): void {
  if (process.connected) process.send?.(message);
}
