import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import type { Perform } from './confirmations/service.ts';

/** Headers that say who calls, and from where. */
const CREDENTIALS = [
  'authorization',
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'user-agent',
  'x-forwarded-for',
] as const;

/** Returns a function that makes requests to the API, without a socket, by the credentials of a request. */
export function performAs(app: FastifyInstance, { headers, ip, raw }: FastifyRequest): Perform {
  const credentials = Object.fromEntries(CREDENTIALS.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
  return async ({ method, url, body }, idempotencyKey) => {
    const options: InjectOptions = {
      method,
      url,
      remoteAddress: raw.socket.remoteAddress ?? ip,
      headers: {
        ...credentials,
        accept: 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
    };
    const response = await app.inject(body === undefined ? options : { ...options, payload: body as object });
    const isJson = String(response.headers['content-type']).startsWith('application/json') && response.body !== '';
    const isReplayed = response.headers['idempotent-replayed'] === 'true';
    return { status: response.statusCode, body: isJson ? response.json() : response.body, isReplayed };
  };
}
