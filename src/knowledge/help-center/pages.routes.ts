import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { HELP_PAGE_POLICY, NOT_FOUND_PAGE } from './pages.ts';
import { type HelpPageResult, renderHelpPage, renderSitemap } from './reading.service.ts';
import { createRendering } from './rendering.ts';

/** Readers may get a page up to a minute old. */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600';
const MAX_QUERY_LENGTH = 200;
const SITEMAP = 'sitemap.xml';

const Home = z.object({ orgId: z.string() });
const Page = z.object({ orgId: z.string(), '*': z.string() });
const Search = z.object({ q: z.string().optional().catch(undefined) });

/** Routes of the public help center, in HTML. */
export const helpPageRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const rendering = createRendering();
  app.addHook('onClose', () => rendering.close());
  const setting = { publicUrl: config.PUBLIC_URL, rendering };

  /** Answers 304 if the browser already has the page. */
  const send = async (
    { db, headers }: FastifyRequest,
    reply: FastifyReply,
    reading: HelpPageResult,
  ): Promise<string> => {
    reply.type('text/html; charset=utf-8').header('content-security-policy', HELP_PAGE_POLICY);
    const answer = await renderHelpPage(db, setting, reading);
    if (answer === undefined || !answer.isFound) {
      reply.code(404);
      return answer?.html ?? NOT_FOUND_PAGE;
    }
    const page = answer.html;
    const etag = `"${createHash('sha256').update(page).digest('base64url')}"`;
    reply.headers({ etag, 'cache-control': CACHE_CONTROL });
    const isKnown = headers['if-none-match']?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
    if (isKnown === true) reply.code(304);
    return isKnown === true ? '' : page;
  };

  app.get(
    '/help/:orgId',
    { config: { scope: 'public', limitedBy: 'help' }, schema: { params: Home, querystring: Search, hide: true } },
    async (request, reply) => {
      const query = request.query.q?.trim().slice(0, MAX_QUERY_LENGTH) || undefined;
      return send(request, reply, { orgId: request.params.orgId, path: '', query });
    },
  );

  app.get(
    '/help/:orgId/*',
    { config: { scope: 'public', limitedBy: 'help' }, schema: { params: Page, hide: true } },
    async (request, reply) => {
      const { orgId, '*': path } = request.params;
      if (path === SITEMAP) {
        const sitemap = await renderSitemap(request.db, config.PUBLIC_URL, orgId);
        if (sitemap !== undefined)
          return reply.type('application/xml; charset=utf-8').header('cache-control', CACHE_CONTROL).send(sitemap);
      }
      return send(request, reply, { orgId, path, query: undefined });
    },
  );
};
