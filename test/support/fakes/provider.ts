import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProviderCall {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface FakeProvider {
  url: string;
  calls: ProviderCall[];
  /** What the coming calls get, one each and not before `after`; 200 `{}` afterwards. */
  next(...answers: { status: number; body?: unknown; headers?: Record<string, string>; after?: Promise<void> }[]): void;
  close(): Promise<void>;
}

/** Any provider's API over real HTTP: it notes each call and answers as told. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const calls: ProviderCall[] = [];
  const answers: Parameters<FakeProvider['next']>[0][] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    const { status, body: content = {}, headers = {}, after } = answers.shift() ?? { status: 200 };
    await after;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(content));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    next: (...more) => void answers.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
