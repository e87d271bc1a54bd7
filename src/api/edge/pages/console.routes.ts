import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { notFound } from '../../../errors.ts';
import { wantsPage } from './page-answers.ts';

const DIST = fileURLToPath(new URL('../../../../console/dist', import.meta.url));
const POLICY = [
  "default-src 'self'",
  "img-src 'self' blob: data:",
  "frame-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ');
const HASHED = /^assets\//;
const SESSION = /^\/chat\/sessions\/([0-9a-f-]{36})(?:\?|$)/i;
const HIDDEN = { schema: { hide: true }, config: { scope: 'public', limitedBy: 'nothing' } } as const;

/**
 * The console: its files, and its page for every other address below /console. A browser that opens a session by its
 * address in the API, as CRMs link to it, is sent to the console. Registered before the routes, and before
 * authentication.
 */
export const consoleRoutes = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('onRequest', async (request, reply) => {
    const sessionId = request.method === 'GET' ? SESSION.exec(request.url)?.[1] : undefined;
    if (sessionId !== undefined && wantsPage(request)) return reply.redirect(`/console/s/${sessionId}`);
  });
});

/** The files and the page of the console. */
export const consoleFileRoutes = async (app: FastifyInstance): Promise<void> => {
  await app.register(fastifyStatic, { root: DIST, serve: false, preCompressed: true });

  app.get('/console', HIDDEN, async (_request, reply) => page(reply));
  app.get<{ Params: { '*': string } }>('/console/*', HIDDEN, async ({ params }, reply) => {
    const file = params['*'];
    if (!HASHED.test(file)) return page(reply);
    return reply.sendFile(file, { maxAge: '1y', immutable: true });
  });
};

function page(reply: FastifyReply): FastifyReply {
  if (!existsSync(join(DIST, 'index.html'))) throw notFound('The console is not built: run `npm run console`');
  reply.headers({ 'content-security-policy': POLICY, 'referrer-policy': 'same-origin', 'x-robots-tag': 'noindex' });
  return reply.sendFile('index.html', { cacheControl: false }).header('cache-control', 'no-cache');
}
