import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { NoBody } from '../../schemas/parts.ts';
import { lackedScope } from './authenticate.ts';
import { confirmPreference, preferenceOf } from './prefer.ts';

/** What GET of a path does without a query. */
interface Reader {
  operationId: string;
  config: NonNullable<RouteOptions['config']>;
  params: z.ZodType;
  query: unknown;
  answer: z.ZodType;
  handler: RouteHandlerMethod;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the GET whose answer represents what an update without a body in its answer has updated. */
    readerOf(route: Updating): Reader | undefined;
  }
}

type Updating = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>;

/**
 * Supports `Prefer: return=representation` (RFC 7240, section 4.2) on updates that answer without a body: the answer is
 * then what GET answers, to callers who have its scope. Others, and a read that fails, get the answer without a body, as
 * the update is done. A repeated request with an Idempotency-Key gets what is stored now. Registered after idempotency.
 */
export const representations = fastifyPlugin(async (app: FastifyInstance) => {
  const readers = new Map<string, Reader>();
  app.decorate('readerOf', ({ method, url, schema, config }) => {
    if (okAnswerOf(schema) !== NoBody || config?.hasRepresentation === false) return undefined;
    const above = url.slice(0, url.lastIndexOf('/'));
    const isCommand = !url.slice(above.length).includes(':');
    const own = method === 'PUT' || method === 'PATCH' ? readers.get(url) : undefined;
    return own ?? (isCommand && (method === 'PUT' || method === 'POST') ? readers.get(above) : undefined);
  });

  app.addHook('onRoute', (route) => {
    if (route.method === 'GET') {
      const reader = readerBy(route);
      if (reader !== undefined) readers.set(route.url, reader);
      return;
    }
    const { handler } = route;
    if (okAnswerOf(route.schema) !== NoBody) return;
    route.handler = async function (request, reply) {
      const answer = await handler.call(this, request, reply);
      const preferred = preferenceOf(request.headers, 'return');
      const reader = reply.statusCode === 200 && preferred !== undefined ? app.readerOf(route) : undefined;
      if (reader === undefined) return answer;
      const representation =
        preferred === 'representation' ? await represented(app, request, reply, reader) : undefined;
      if (representation === undefined && preferred !== 'minimal') return answer;
      confirmPreference(reply, `return=${preferred}`);
      if (representation === undefined) return answer;
      reply.type('application/json; charset=utf-8');
      return representation; // Fastify sends a text as it is
    };
  });
});

const okAnswerOf = (schema: RouteOptions['schema']): unknown =>
  (schema?.response as Record<number, unknown> | undefined)?.[200];

/** Returns the reader of a GET. Undefined if it needs a query, or answers something else than JSON. */
function readerBy({ schema, config, handler }: RouteOptions): Reader | undefined {
  const answer = okAnswerOf(schema);
  const query = schema?.querystring instanceof z.ZodType ? schema.querystring.safeParse({}) : { data: {} };
  if (!(answer instanceof z.ZodType) || query.data === undefined || config === undefined) return undefined;
  const params = schema?.params instanceof z.ZodType ? schema.params : z.object({});
  return { operationId: schema?.operationId ?? '', config, params, query: query.data, answer, handler };
}

/** Returns the JSON of what a reader answers to the caller. Undefined if it may not read it, or the read has failed. */
async function represented(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  { config, params, query, answer, handler }: Reader,
): Promise<string | undefined> {
  if (request.org === null || lackedScope(request.org, config) !== undefined) return undefined;
  try {
    const reading: FastifyRequest = Object.create(request, {
      params: { value: params.parse(request.params) },
      query: { value: query },
      body: { value: undefined },
    });
    return JSON.stringify(z.encode(answer, (await handler.call(app, reading, reply)) as never));
  } catch (error) {
    if (!(error instanceof DomainError))
      request.log.warn({ err: error }, 'what was updated could not be read for the answer');
    return undefined;
  }
}
