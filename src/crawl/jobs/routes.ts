import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { DatasourcePath } from '../datasources/schema.ts';
import { refuseRemovals, releaseRemovals } from './finishing.service.ts';
import { createProgressStreams } from './progress-streams.service.ts';
import {
  Affected,
  CrawlChangePage,
  CrawlEvents,
  CrawlJob,
  CrawlJobPage,
  JobPath,
  ListChanges,
  ListJobs,
} from './schema.ts';
import { cancelCrawl, getJob, pageOfChanges, pageOfJobs, startCrawl } from './service.ts';

const tags = ['website datasources'];

/** Routes to start, follow and cancel crawls of websites. */
export const crawlJobRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const streams = createProgressStreams(deps.db, (error) =>
    app.log.warn({ err: error }, 'crawl progress could not be read'),
  );
  app.addHook('onClose', async () => streams.close());

  app.post('/crawl/:id/crawls', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'startCrawl',
      summary: 'Start a crawl',
      description:
        'Begins to fetch the pages of the website. A website that is paused or has an active crawl is a 409, and so are more than 20 crawls at once.',
      tags,
      params: DatasourcePath,
      response: { 201: CrawlJob, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }, reply) => {
      reply.code(201);
      return startCrawl(db, org.id, params.id);
    },
  });

  app.get('/crawl/:id/crawls', {
    config: { scope: 'crawl:read' },
    schema: {
      operationId: 'listCrawls',
      summary: 'List crawls',
      tags,
      description: 'Lists the crawls of the website, oldest first.',
      params: DatasourcePath,
      querystring: ListJobs,
      response: { 200: CrawlJobPage, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, query }) => pageOfJobs(db, org.id, params.id, query),
  });

  app.get('/crawl/:id/crawls/:jobId', {
    config: { scope: 'crawl:read' },
    schema: {
      operationId: 'getCrawl',
      summary: 'Get a crawl',
      description: 'Returns the crawl with its counts of pages.',
      tags,
      params: JobPath,
      response: { 200: CrawlJob, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getJob(db, org.id, params.id, params.jobId),
  });

  app.get('/crawl/:id/crawls/:jobId/events', {
    config: { scope: 'crawl:read', isStreaming: true },
    schema: {
      operationId: 'streamCrawl',
      summary: 'Stream a crawl',
      tags,
      description: 'Sends the crawl as it is now, and whenever it has changed. The stream ends with the crawl.',
      params: JobPath,
      response: { 200: CrawlEvents, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }, reply) => {
      const job = await getJob(db, org.id, params.id, params.jobId);
      return reply.streamEvents((sink) => streams.follow(org.id, job, sink));
    },
  });

  app.get('/crawl/:id/crawls/:jobId/changes', {
    config: { scope: 'crawl:read' },
    schema: {
      operationId: 'listCrawlChanges',
      summary: 'List changes of a crawl',
      tags,
      description: 'Lists the pages that the crawl found new, changed or gone. All others are unchanged.',
      params: JobPath,
      querystring: ListChanges,
      response: { 200: CrawlChangePage, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params: { id: datasourceId, jobId }, query }) =>
      pageOfChanges(db, { orgId: org.id, datasourceId, jobId }, query),
  });

  app.post('/crawl/:id/crawls/:jobId/cancel', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'cancelCrawl',
      summary: 'Cancel a crawl',
      tags,
      description: 'Ends the crawl where it is; one that has ended is a 409. Pages that it has stored stay.',
      params: JobPath,
      response: { 200: CrawlJob, ...errorResponses(403, 404, 409) },
    },
    handler: ({ db, org, params }) => cancelCrawl(db, org.id, params.id, params.jobId),
  });

  app.post('/crawl/:id/crawls/:jobId/removals', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'removeHeldPages',
      summary: 'Remove held pages',
      tags,
      description:
        'Removes the pages of the website that were held back, as too many seemed to be gone at once, and counts them with this crawl. While a crawl is active, or if another one has held back more, it is a 409.',
      params: JobPath,
      response: { 200: Affected, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => ({ affected: await releaseRemovals(db, org.id, params.id, params.jobId) }),
  });

  app.delete('/crawl/:id/crawls/:jobId/removals', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'keepHeldPages',
      summary: 'Keep held pages',
      tags,
      description:
        'Keeps the pages of the website that were held back. They are removed only once later crawls find them gone anew. The 409s are those of their removal.',
      params: JobPath,
      response: { 200: Affected, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => ({ affected: await refuseRemovals(db, org.id, params.id, params.jobId) }),
  });
};
