import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';

/**
 * Serves a small language model by OpenAI's chat completions, one request after the other. The name of the model in a request
 * says which response formats it takes, as servers differ in that: `schema`, `object` or `text`.
 */
const [runtime = '', modelPath = ''] = process.argv.slice(2);
const CONTEXT_TOKENS = 8_192;
/** More would take minutes. An answer that is cut says so by its reason to finish. */
const MAX_TOKENS = 160;
const USUAL_TEMPERATURE = 0.8;
const PROMPT_OF_TURNS = 'You answer customers';
const FORMATS: Record<string, string[]> = { schema: ['json_schema', 'json_object'], object: ['json_object'], text: [] };

const { getLlama, LlamaChatSession } = await import(pathToFileURL(runtime).href);
const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false, logLevel: 'error' });
const model = await llama.loadModel({ modelPath });
const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });
const sequence = context.getSequence();

interface Message {
  role: string;
  content: string;
}
interface Asked {
  model: string;
  messages: Message[];
  max_tokens?: number;
  temperature?: number;
  response_format?: { type: string; json_schema?: { schema: object } };
}

const historyItemOf = ({ role, content }: Message) => {
  if (role === 'assistant') return { type: 'model', response: [content] };
  return { type: role === 'system' ? 'system' : 'user', text: content };
};

async function grammarFor({ model: name, response_format: format }: Asked) {
  if (format === undefined) return undefined;
  if (!FORMATS[name]?.includes(format.type)) throw new Error(`response_format ${format.type} is not supported`);
  if (format.json_schema === undefined) return llama.getGrammarFor('json');
  return llama.createGrammarForJsonSchema(format.json_schema.schema);
}

async function complete(asked: Asked, signal: AbortSignal) {
  const grammar = await grammarFor(asked);
  const sent: number = model.tokenize(asked.messages.map(({ content }) => content).join('\n')).length;
  if (sent + MAX_TOKENS > CONTEXT_TOKENS) throw new Error(`maximum context length is ${CONTEXT_TOKENS} tokens`);
  const session = new LlamaChatSession({ contextSequence: sequence, autoDisposeSequence: false, systemPrompt: '' });
  session.setChatHistory(asked.messages.slice(0, -1).map(historyItemOf));
  const { responseText, stopReason } = await session.promptWithMeta(asked.messages.at(-1)?.content ?? '', {
    maxTokens: Math.min(asked.max_tokens ?? MAX_TOKENS, MAX_TOKENS),
    temperature: asked.temperature ?? USUAL_TEMPERATURE,
    repeatPenalty: { penalty: 1.15, frequencyPenalty: 0.02 }, // otherwise it says the same until the limit
    signal,
    ...(grammar !== undefined && { grammar }),
  });
  session.dispose({ disposeSequence: false });
  return {
    id: `chatcmpl-${Date.now()}`,
    object: 'chat.completion',
    model: asked.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: responseText },
        finish_reason: stopReason === 'maxTokens' ? 'length' : 'stop',
      },
    ],
    usage: { prompt_tokens: sent, completion_tokens: model.tokenize(responseText).length },
  };
}

async function readBody(request: IncomingMessage): Promise<Asked> {
  let text = '';
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

let previous: Promise<unknown> = Promise.resolve();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const asked = await readBody(request);
  if (!asked.messages.some(({ content }) => content.startsWith(PROMPT_OF_TURNS))) {
    response.writeHead(503).end(); // summaries and statements would take the time of turns
    return;
  }
  const answer = (status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  previous = previous.then(() =>
    gone.signal.aborted
      ? undefined
      : complete(asked, gone.signal).then(
          (completion) => answer(200, completion),
          (error: Error) => answer(400, { error: { message: error.message } }),
        ),
  );
}

const server = createServer((request, response) => void serve(request, response));
process.on('disconnect', () => process.exit());
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}/v1` });
