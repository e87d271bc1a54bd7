import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  CreateWebsiteDatasource,
  Datasource,
  DatasourceDetails,
  DatasourcePage,
  DatasourcePath,
  ListDatasources,
  UpdateWebsiteDatasource,
} from './schema.ts';
import {
  changeDatasource,
  createDatasource,
  datasourceResponse,
  getDatasourceDetails,
  pageOfDatasources,
  removeDatasource,
} from './service.ts';

const tags = ['website datasources'];

/** Routes for websites in the org's knowledge. */
export const datasourceRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/crawl', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'createWebsiteDatasource',
      summary: 'Add a website',
      tags,
      description: 'Adds a website, and begins to crawl it unless `auto_start_crawl` is false.',
      body: CreateWebsiteDatasource,
      response: { 201: Datasource, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return datasourceResponse(await createDatasource(db, org.id, body));
    },
  });

  app.get('/crawl', {
    config: { scope: 'crawl:read' },
    schema: {
      operationId: 'listWebsiteDatasources',
      summary: 'List websites',
      description: 'The websites that the knowledge includes, in the order of creation.',
      tags,
      querystring: ListDatasources,
      response: { 200: DatasourcePage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => {
      const { items, next } = await pageOfDatasources(db, org.id, query);
      return { items: items.map(datasourceResponse), next };
    },
  });

  app.get('/crawl/:id', {
    config: { scope: 'crawl:read' },
    schema: {
      operationId: 'getWebsiteDatasource',
      summary: 'Get a website',
      description: 'With counts of its pages and the crawl that is active.',
      tags,
      params: DatasourcePath,
      response: { 200: DatasourceDetails, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getDatasourceDetails(db, org.id, params.id),
  });

  app.patch('/crawl/:id', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'updateWebsiteDatasource',
      summary: 'Update a website',
      tags,
      description: 'Changes what is given. Which pages are stored follows with the next crawl.',
      params: DatasourcePath,
      body: UpdateWebsiteDatasource,
      response: { 200: Datasource, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) =>
      datasourceResponse(await changeDatasource(db, org.id, params.id, body)),
  });

  app.delete('/crawl/:id', {
    config: { scope: 'crawl:write' },
    schema: {
      operationId: 'deleteWebsiteDatasource',
      summary: 'Delete a website',
      tags,
      description:
        'Deletes the datasource from lists and searches at once. Its pages, its crawls and all that the knowledge has of it are deleted afterwards, which takes a minute for 50,000 pages.',
      params: DatasourcePath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeDatasource(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
