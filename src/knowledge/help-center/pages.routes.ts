import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import { type HelpAnswer, helpPagePolicy, NOT_FOUND_PAGE } from './pages.ts';
import { type HelpPageResult, renderHelpPage, renderSitemap } from './reading.service.ts';
import { createRendering } from './rendering.ts';

/** Readers may get a page up to a minute old. */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600';
const MAX_QUERY_LENGTH = 200;
const SITEMAP = 'sitemap.xml';

const Home = z.object({ orgId: z.string() });
const Page = z.object({ orgId: z.string(), '*': z.string() });
const Search = z.object({ q: z.string().optional().catch(undefined) });

const NO_CENTER = { isFound: false, html: NOT_FOUND_PAGE, brand: undefined };

/** Prepares the answer with a page of the help center, and returns the page. Its forms name the page that they are on. */
export function sendHelpPage(reply: FastifyReply, { isFound, html }: HelpAnswer, brand?: PageBrand): string {
  reply
    .code(isFound ? 200 : 404)
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': helpPagePolicy(brand), 'referrer-policy': 'same-origin' });
  return html;
}

/** Routes of the public help center, in HTML. */
export const helpPageRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, mediaLinks }) => {
  const rendering = createRendering();
  app.addHook('onClose', () => rendering.close());
  const setting = { publicUrl: config.PUBLIC_URL, rendering, mediaLinks };

  /** Answers 304 if the browser already has the page. */
  const send = async (
    { db, headers }: FastifyRequest,
    reply: FastifyReply,
    reading: HelpPageResult,
  ): Promise<string> => {
    const answer = (await renderHelpPage(db, setting, reading)) ?? NO_CENTER;
    const page = sendHelpPage(reply, answer, answer.brand);
    if (!answer.isFound) return page;
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
