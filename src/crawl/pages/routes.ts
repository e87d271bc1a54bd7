import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { DatasourcePath } from '../datasources/schema.ts';
import { Affected } from '../jobs/schema.ts';
import { BulkPageAction, CrawlPagePage, DeletePages, ListPages, SyncPageByUrl } from './schema.ts';
import { deletePages, excludePages, includePages, pageOfPages, resyncPages, syncUrl } from './service.ts';

const tags = ['website datasources'];

/** Routes for the pages of websites, including rejected ones and the reasons. */
export const crawlPageRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/crawl/:id/pages', {
    config: { scope: 'crawl:read' },
    schema: {
      operationId: 'listCrawlPages',
      summary: 'List the pages of a website',
      tags,
      description: 'Lists every URL that was found, with its result, oldest first.',
      params: DatasourcePath,
      querystring: ListPages,
      response: { 200: CrawlPagePage, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, query }) => pageOfPages(db, org.id, params.id, query),
  });

  app.post('/crawl/:id/pages/exclude', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'excludeCrawlPages',
      summary: 'Exclude pages',
      tags,
      description:
        'Takes pages out of the knowledge. No crawl brings them back until POST /crawl/{id}/pages/include. Deleted pages are left out.',
      params: DatasourcePath,
      body: BulkPageAction,
      response: { 200: Affected, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => ({
      affected: await excludePages(db, org.id, params.id, body.page_ids),
    }),
  });

  app.post('/crawl/:id/pages/include', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'includeCrawlPages',
      summary: 'Include pages',
      tags,
      description:
        'Fetches pages of the site into the knowledge, whatever the paths of the website say of them. Deleted pages are left out. A paused website is a 409.',
      params: DatasourcePath,
      body: BulkPageAction,
      response: { 200: Affected, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => ({
      affected: await includePages(db, org.id, params.id, body.page_ids),
    }),
  });

  app.post('/crawl/:id/pages/resync', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'resyncCrawlPages',
      summary: 'Fetch pages again',
      tags,
      description: 'Fetches and reads pages again. Excluded and deleted pages are left out. A paused website is a 409.',
      params: DatasourcePath,
      body: BulkPageAction,
      response: { 200: Affected, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => ({
      affected: await resyncPages(db, org.id, params.id, body.page_ids),
    }),
  });

  app.post('/crawl/:id/pages/delete', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'deleteCrawlPages',
      summary: 'Delete pages',
      tags,
      description:
        'Deletes pages, which no crawl brings back. What the knowledge has of them stays unless `delete_kb_items` is true.',
      params: DatasourcePath,
      body: DeletePages,
      response: { 200: Affected, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => ({ affected: await deletePages(db, org.id, params.id, body) }),
  });

  app.post('/crawl/:id/pages/sync-url', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'syncCrawlPage',
      summary: 'Fetch one page',
      tags,
      description:
        'Fetches one page of the site into the knowledge, known or not, excluded or deleted, whatever the paths of the website say of it. A page of another site is a 400, a paused website a 409.',
      params: DatasourcePath,
      body: SyncPageByUrl,
      response: { 200: Affected, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => ({ affected: await syncUrl(db, org.id, params.id, body.url) }),
  });
};
