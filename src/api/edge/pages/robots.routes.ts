import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../deps.ts';

const CACHING = 'public, max-age=3600';

/** What crawlers may read (RFC 9309): help centers. All other pages are private or of no use to them. */
export const robotsRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const { pathname } = new URL(`${config.PUBLIC_URL.replace(/\/$/, '')}/help/`);
  const rules = `User-agent: *\nAllow: ${pathname}\nDisallow: /\n`;

  app.get(
    '/robots.txt',
    { schema: { hide: true }, config: { scope: 'public', limitedBy: 'nothing' } },
    async (_request, reply) => reply.type('text/plain; charset=utf-8').header('cache-control', CACHING).send(rules),
  );
};
