import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Server as OlderServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** What the servers of the makers are: their package of 2026, and that of 2025 without and with sessions. */
export const ERAS = ['2026', '2025', '2025 with sessions'] as const;
export type Era = (typeof ERAS)[number];

export interface FakeTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  outputSchema?: { type: 'object'; [keyword: string]: unknown };
  annotations?: Record<string, unknown>;
}

interface Result {
  content?: object[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/**
 * What the next call of a tool meets in place of the true answer. Those of `after` have had their effect. `dies`: the
 * connection breaks after one event. `asks`: a question in place of a result. `waits`: the answer is late.
 */
export type McpFault =
  | { status: number; body?: string; type?: string; after?: boolean; location?: string }
  | { error: number; after?: boolean }
  | { result: Result }
  | { dies: true }
  | { resets: true; after?: boolean }
  | { asks: true }
  | { waits: number }
  | { bytes: number };

interface Received {
  method: string;
  headers: IncomingMessage['headers'];
  /** The method of the protocol, such as tools/call. */
  rpc: string | undefined;
  params: { name?: string; arguments?: Record<string, unknown>; _meta?: Record<string, unknown> };
}

export interface FakeMcpServer {
  url: string;
  /** What it lists. A test may change it. */
  tools: FakeTool[];
  /** Tools of a page, for lists with several. */
  pageSize: number;
  received: Received[];
  /** What its tools have done, each once for a key. */
  effects: { tool: string; arguments: unknown; key: unknown }[];
  calls(): Received[];
  next(...faults: McpFault[]): void;
  /** Has the answer of the next list wait, once its tools are chosen. */
  holdList(): { begun: Promise<void>; release(): void };
  close(): Promise<void>;
}

const ORDER = { type: 'string' };

/** A tool that reads, and one that has an effect. */
export const shopTools = (): FakeTool[] => [
  {
    name: 'find_order',
    title: 'Find an order',
    description: 'Returns the state of an order.',
    inputSchema: { type: 'object', properties: { order: ORDER }, required: ['order'], additionalProperties: false },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'Refund Order!',
    title: 'Refund an order',
    description: 'Gives the money of an order back.',
    inputSchema: {
      type: 'object',
      properties: { order: ORDER, amount: { type: 'number' } },
      required: ['order'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { refunded: { type: 'boolean' } }, required: ['refunded'] },
  },
];

/**
 * Starts a server made with the packages of the protocol's makers. It does the same `Idempotency-Key` once, as a server of
 * money should, and wants the header `authorization` if it is given one.
 */
export async function startFakeMcpServer(era: Era = '2026', authorization?: string): Promise<FakeMcpServer> {
  const faults: McpFault[] = [];
  const holds: { begin(): void; released: Promise<void> }[] = [];
  const fake: Omit<FakeMcpServer, 'url' | 'close'> = {
    tools: shopTools(),
    pageSize: Number.POSITIVE_INFINITY,
    received: [],
    effects: [],
    calls: () => fake.received.filter(({ rpc }) => rpc === 'tools/call'),
    next: (...given) => void faults.push(...given),
    holdList() {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      holds.push({ begin, released });
      return { begun, release };
    },
  };

  const act = (name: string, given: unknown, key: unknown): Result => {
    if (!fake.effects.some((effect) => effect.key === key)) fake.effects.push({ tool: name, arguments: given, key });
    if (name === 'find_order') return { content: [{ type: 'text', text: 'It is on its way' }] };
    return { content: [{ type: 'text', text: '{"refunded":true}' }], structuredContent: { refunded: true } };
  };
  const list = async (cursor = '0') => {
    const from = Number(cursor);
    const isLast = from + fake.pageSize >= fake.tools.length;
    const tools = fake.tools.slice(from, isLast ? undefined : from + fake.pageSize);
    const hold = holds.shift();
    hold?.begin();
    await hold?.released;
    return { tools: tools as never[], ...(!isLast && { nextCursor: String(from + fake.pageSize) }) };
  };
  const answer = era === '2026' ? modernServer(list, act) : olderServer(era, list, act);

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const parsed = body === '' ? {} : JSON.parse(body);
    const { method = '', headers } = request;
    fake.received.push({ method, headers, rpc: parsed.method, params: parsed.params ?? {} });
    if (authorization !== undefined && headers.authorization !== authorization)
      return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    const fault = parsed.method === 'tools/call' ? faults.shift() : undefined;
    if (fault === undefined) return answer(request, response, parsed);
    const { name, arguments: given } = parsed.params;
    if ('after' in fault && fault.after === true) act(name, given, headers['idempotency-key']);
    return spoil(fault, { request, response, parsed, answer });
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(fake, {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

type Answering = (request: IncomingMessage, response: ServerResponse, parsed: unknown) => Promise<unknown>;
type Act = (name: string, given: unknown, key: unknown) => Result;
type List = (cursor?: string) => Promise<{ tools: never[]; nextCursor?: string }>;
const INFO = { name: 'shop', version: '1.0.0' };
const CAPABILITIES = { capabilities: { tools: {} } };

function modernServer(list: List, act: Act): Answering {
  const handler = createMcpHandler(({ requestInfo }) => {
    // oxlint-disable-next-line typescript/no-deprecated -- the other class checks what it lists, and these lists can be wrong
    const server = new Server(INFO, CAPABILITIES);
    const key = requestInfo?.headers.get('idempotency-key');
    server.setRequestHandler('tools/list', async ({ params }) => list(params?.cursor));
    server.setRequestHandler('tools/call', async ({ params }) => act(params.name, params.arguments, key) as never);
    return server;
  });
  return async (request, response, parsedBody) => {
    const given = new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string>,
      ...(request.method === 'POST' && { body: JSON.stringify(parsedBody) }),
    });
    const answered = await handler.fetch(given, { parsedBody });
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(Buffer.from(await answered.arrayBuffer()));
  };
}

function olderServer(era: Era, list: List, act: Act): Answering {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    // oxlint-disable-next-line typescript/no-deprecated -- as above
    const server = new OlderServer(INFO, CAPABILITIES);
    server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => list(params?.cursor));
    server.setRequestHandler(
      CallToolRequestSchema,
      async ({ params }, { requestInfo }) =>
        act(params.name, params.arguments, requestInfo?.headers['idempotency-key']) as never,
    );
    const hasSessions = era === '2025 with sessions';
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: hasSessions ? () => crypto.randomUUID() : undefined,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport as never);
    return transport;
  };
  return async (request, response, parsed) => {
    const id = request.headers['mcp-session-id'];
    const transport = sessions.get(String(id)) ?? (await open());
    await transport.handleRequest(request, response, parsed);
  };
}

async function spoil(
  fault: McpFault,
  {
    request,
    response,
    parsed,
    answer,
  }: { request: IncomingMessage; response: ServerResponse; parsed: { id: unknown }; answer: Answering },
): Promise<void> {
  const json = (body: object, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: parsed.id, ...body }));
  };
  if ('waits' in fault) {
    await new Promise((resolve) => setTimeout(resolve, fault.waits));
    await answer(request, response, parsed);
  } else if ('status' in fault) {
    const { status, body = '', type = 'text/plain', location } = fault;
    response.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) });
    response.end(body);
  } else if ('error' in fault) json({ error: { code: fault.error, message: 'No such thing' } });
  else if ('result' in fault) json({ result: { resultType: 'complete', ...fault.result } });
  else if ('asks' in fault)
    json({ result: { resultType: 'input_required', inputRequests: {}, requestState: 'what is your name?' } });
  else if ('bytes' in fault) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`"${'x'.repeat(fault.bytes)}"`);
  } else if ('dies' in fault) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };
    response.write(`data: ${JSON.stringify(progress)}\n\n`, () => response.socket?.resetAndDestroy());
  } else response.socket?.resetAndDestroy();
}
