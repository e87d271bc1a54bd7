import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What one request meets in place of the true answer. `after`: its effect has happened. `until`: the answer waits for it. */
export type Fault =
  | { answer: Answer; when: 'before' | 'after'; until?: Promise<void> }
  | { reset: 'before' | 'after' }
  | { lateMs: number; isEffectLate?: boolean }
  | { until: Promise<void> };

const refusal = (status: number, retryAfter?: string): Fault => ({
  answer: { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  when: 'before',
});
export const tooManyRequests = (retryAfter?: string) => refusal(429, retryAfter);
export const unavailable = (retryAfter?: string) => refusal(503, retryAfter);
export const errorAfter = (status = 500): Fault => ({ answer: { status }, when: 'after' });
export const resetBefore: Fault = { reset: 'before' };
export const resetAfter: Fault = { reset: 'after' };
/** The effect happens at once, the answer comes late. */
export const slow = (lateMs: number): Fault => ({ lateMs });
/** The effect happens at once, the answer comes when it is let go. */
export const heldUntil = (until: Promise<void>): Fault => ({ until });
/** The effect is as late as the answer. */
export const slowEffect = (lateMs: number): Fault => ({ lateMs, isEffectLate: true });

export interface ReceivedRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A provider's API over real HTTP. `perform` does what a request asks for; `faultOf` says what goes wrong on the way. */
export async function startFaultyServer(
  perform: (request: ReceivedRequest) => Answer,
  faultOf: (request: ReceivedRequest) => Fault | undefined,
) {
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const { method = '', headers } = incoming;
    const request = { method, url: new URL(incoming.url ?? '', 'http://provider'), headers, body };
    const fault = faultOf(request);
    if (fault !== undefined && 'reset' in fault) {
      if (fault.reset === 'after') perform(request);
      return incoming.socket.resetAndDestroy();
    }
    if (fault !== undefined && 'answer' in fault) {
      if (fault.when === 'after') perform(request);
      await fault.until;
      return send(response, fault.answer);
    }
    if (fault === undefined) return send(response, perform(request));
    if ('until' in fault) {
      const answer = perform(request);
      await fault.until;
      return send(response, answer);
    }
    const early = fault.isEffectLate === true ? undefined : perform(request);
    await sleep(fault.lateMs, undefined, { ref: false });
    return send(response, early ?? perform(request));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, { status, body = {}, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
