import { randomUUID } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 50;
const TIMEOUT_MS = 10_000;
const GIVE_UP_MS = 120_000;

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface Caller {
  /** Sends one request; a Buffer as it is. Rejects if no answer arrives. */
  call(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer>;
  /** Retries under one Idempotency-Key until the answer is final. */
  post(path: string, body: unknown, idempotencyKey?: string): Promise<Answer>;
  /** Hands over a raw mail as a mail server does: again until the answer is final. */
  deliver(path: string, raw: string): Promise<Answer>;
  put(path: string): Promise<Answer>;
  close(): void;
}

interface Content {
  body?: unknown;
  type?: string;
  idempotencyKey?: string | undefined;
}

/** `ca`: the certificate of the authority that an address with TLS is checked against. */
export function callerOf(baseUrl: string, key: string, ca?: string): Caller {
  const kept = { keepAlive: true, maxSockets: 64 };
  const agent = ca === undefined ? new http.Agent(kept) : new https.Agent({ ...kept, ca });
  const request: typeof http.request = ca === undefined ? http.request : https.request;

  const send = (method: string, path: string, { body, type = 'application/json', idempotencyKey }: Content) =>
    new Promise<Answer>((resolve, reject) => {
      const outgoing = request(new URL(path, baseUrl), {
        method,
        agent,
        timeout: TIMEOUT_MS,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': type }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
      });
      outgoing.on('error', reject);
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
      outgoing.on('response', (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('error', reject);
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () => {
          if (!incoming.complete) return reject(new Error('the answer was cut off'));
          const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
          resolve({ status: incoming.statusCode ?? 0, body: isJson && text !== '' ? JSON.parse(text) : text });
        });
      });
      outgoing.end(body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });

  const call: Caller['call'] = (method, path, body, idempotencyKey) => send(method, path, { body, idempotencyKey });

  const insist = async (attempt: () => Promise<Answer>): Promise<Answer> => {
    const deadline = performance.now() + GIVE_UP_MS;
    for (;;) {
      const answer = await attempt().catch(() => undefined);
      if (answer !== undefined && isFinal(answer)) return answer;
      if (performance.now() > deadline) throw new Error('The api gave no final answer', { cause: answer });
      await sleep(RETRY_MS);
    }
  };

  return {
    call,
    post(path, body, idempotencyKey = randomUUID()) {
      return insist(() => call('POST', path, body, idempotencyKey));
    },
    deliver: (path, raw) => insist(() => send('POST', path, { body: Buffer.from(raw), type: 'message/rfc822' })),
    put: (path) => insist(() => call('PUT', path)),
    close: () => agent.destroy(),
  };
}

/** 409 with a key may also mean that an earlier attempt is still running. */
const isFinal = ({ status, body }: Answer) =>
  status < 500 && status !== 429 && !(status === 409 && /still running/.test(body.message));
