import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Each is a direction; words of one have it in common, however they are spelled. */
const MEANINGS = [
  ['refund', 'money', 'reimburse', 'erstattung'],
  ['ship', 'deliver', 'parcel', 'post'],
  ['cat', 'kitten', 'feline', 'pet'],
];

/** A status, or a vector that is none. */
export type Fault = number | 'null' | 'zeros';

export type FakeEmbeddings = Awaited<ReturnType<typeof startFakeEmbeddings>>;

/**
 * OpenAI's embeddings over real HTTP, for one key and one model: what speaks of the same is alike. It refuses all that
 * the real one would, and texts of more than `longest` characters. With `wantsType` it is a model that must be told
 * what a text is; others refuse that.
 */
export async function startFakeEmbeddings({
  key = 'sk-fake',
  model = 'small',
  longest = 5_000,
  wantsType = false,
} = {}) {
  const asked: string[][] = [];
  const types: unknown[] = [];
  let statuses: number[] = [];
  let faultOf: (text: string) => Fault | undefined = () => undefined;
  let release: Promise<void> = Promise.resolve();
  let arrived: string[] = [];
  let refused = 0;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const piece of request) text += piece;
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const refuse = (status: number, message: string) => {
      refused++;
      answer(status, { error: { message } });
    };
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return refuse(404, 'no such route');
    if (request.headers.authorization !== `Bearer ${key}`) return refuse(401, 'wrong key');
    const { model: wanted, input, encoding_format, input_type } = JSON.parse(text);
    if (!`${wanted}`.startsWith(model) || encoding_format !== 'float') return refuse(404, 'no such model');
    if (!Array.isArray(input) || input.length > 64 || input.some((one) => typeof one !== 'string' || one === ''))
      return refuse(400, 'input');
    if (wantsType ? input_type !== 'query' && input_type !== 'passage' : input_type !== undefined)
      return refuse(400, 'input_type');
    if (input.some((one) => one.length > longest)) return refuse(400, 'maximum context length');
    arrived.push(...input);
    await release;
    const status = statuses.shift() ?? 200;
    if (status !== 200) return refuse(status, 'not now');
    const faults = input.map(faultOf);
    const refusal = faults.find((fault) => typeof fault === 'number');
    if (refusal !== undefined) return refuse(refusal, 'cannot embed that');
    if (faults.every((fault) => fault === undefined)) {
      asked.push(input);
      types.push(input_type);
    }
    const embeddingOf = (one: string, fault: unknown) =>
      fault === 'null' ? null : vectorOf(one).map((part) => (fault === 'zeros' ? 0 : part));
    const data = input.map((one, index) => ({
      object: 'embedding',
      index,
      embedding: embeddingOf(one, faults[index]),
    }));
    return answer(200, { object: 'list', data: data.reverse() });
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    settings: {
      base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      api_key: key,
      model: 'chat',
      embedding_model: model,
    },
    /** The texts of each call that was answered. */
    asked,
    /** The `input_type` of each of these calls. */
    types,
    /** What the coming calls get. */
    next: (...coming: number[]) => {
      statuses = coming;
    },
    /** What calls with certain texts get. */
    failAt: (fault: typeof faultOf) => {
      faultOf = fault;
    },
    /** The number of calls that were refused. */
    refused: () => refused,
    /** The coming calls are answered once this resolves. */
    holdUntil: (until: Promise<void>) => {
      release = until;
      arrived = [];
    },
    /** The texts of the calls since then. */
    held: () => arrived,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** Not of length 1, as not all models give. */
const vectorOf = (text: string): number[] => [
  0.1,
  ...MEANINGS.map((words) => 3 * words.filter((word) => text.toLowerCase().includes(word)).length),
];
