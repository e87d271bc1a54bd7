import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { errorAnswer, sendError } from '../errors.ts';

/**
 * Answers 404 for an unknown path, and 405 with `Allow` (RFC 9110, 15.5.6) for a known path with another method.
 * Registered before the routes.
 */
export const unknownRoutes = fastifyPlugin(async (app: FastifyInstance) => {
  const methodsByPattern = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const known = methodsByPattern.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    methodsByPattern.set(url, known);
  });

  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, url } = request;
    const [path = ''] = url.split('?');
    const matching = [...methodsByPattern.values()].filter(({ pattern }) => pattern.test(path));
    if (matching.length === 0)
      return sendError(request, reply, errorAnswer(404, `There is no ${method} ${path}`, { code: 'unknown_path' }));
    const allow = [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort().join(', ');
    reply.header('allow', allow);
    return sendError(request, reply, errorAnswer(405, `${path} takes ${allow}, not ${method}`));
  };

  // Runs before the body is parsed, as only some methods have one.
  app.addHook('onRequest', async (request, reply) => (request.is404 ? refuse(request, reply) : undefined));
  app.setNotFoundHandler({ config: { scope: 'public' } } as never, refuse);
});

const patternOf = (url: string) =>
  new RegExp(`^${url.replaceAll(/[.+?^$()[\]{}|\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
