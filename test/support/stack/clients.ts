import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance, InjectOptions } from 'fastify';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  headers: Headers;
}

interface CallOptions {
  headers?: Record<string, string>;
}

/** Calls the api with a key, or none. A body that is a string or a form goes out as it is, anything else as JSON. */
export interface Client {
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, options?: CallOptions): Promise<Answer>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Sent {
  method: Method;
  headers: Record<string, string>;
  body: string | FormData | undefined;
}

/** Sends a request. Returns the text of the answer, or of a stream the first event. */
type Send = (path: string, request: Sent) => Promise<{ status: number; headers: Headers; text: string }>;

const isEventStream = (headers: Headers) => headers.get('content-type') === 'text/event-stream';

/** Sends requests to an address, as any client does. */
export function overNetwork(url: string): Send {
  return async (path, request) => {
    const response = await fetch(url + path, { ...request, redirect: 'manual' });
    const { status, headers, body } = response;
    return { status, headers, text: isEventStream(headers) && body ? await firstOf(body) : await response.text() };
  };
}

/** Hands requests to the app without a socket. From its router on they take the same way. */
export function inProcess(app: FastifyInstance, url: string): Send {
  const { host } = new URL(url);
  return async (path, { body, ...request }) => {
    const options: InjectOptions = { ...request, url: path, authority: host, payloadAsStream: true };
    const response = await app.inject(body === undefined ? options : { ...options, payload: body });
    const headers = headersOf(response.headers);
    const stream = response.stream();
    return {
      status: response.statusCode,
      headers,
      text: isEventStream(headers) ? await firstOf(stream) : await text(stream),
    };
  };
}

function headersOf(given: Record<string, string | string[] | number | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of [value].flat()) if (one !== undefined) headers.append(name, String(one));
  return headers;
}

/** Returns the first chunk of a stream, and closes it. */
async function firstOf(stream: ReadableStream<Uint8Array> | Readable): Promise<string> {
  for await (const chunk of stream) return Buffer.from(chunk).toString();
  return '';
}

export function clientOf(send: Send, key: string | undefined): Client {
  const call = async (method: Method, path: string, body: unknown, options: CallOptions = {}): Promise<Answer> => {
    const isWritten = typeof body === 'string' || body instanceof FormData;
    const { status, headers, text } = await send(path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: body === undefined || isWritten ? body : JSON.stringify(body),
    });
    const isJson = headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return { status, body: isJson ? JSON.parse(text) : text, headers };
  };
  return {
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    patch: (path, body, options) => call('PATCH', path, body, options),
    delete: (path, options) => call('DELETE', path, undefined, options),
  };
}
