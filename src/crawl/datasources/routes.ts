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
      description:
        'Adds a website, and begins to crawl it unless `auto_start_crawl` is false. While 20 crawls are in progress, no other can begin (409).',
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
      description: 'Lists the websites of the knowledge in the order of creation.',
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
      description: 'Returns the website with counts of its pages and the crawl that is active, if there is one.',
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
      description: 'Absent fields keep their values. The next crawl applies new paths and limits to the stored pages.',
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
        'Removes the website from lists and searches at once, and cancels its crawl. Its pages, its crawls and all that the knowledge has of it are deleted afterwards, which takes a minute for 50,000 pages.',
      params: DatasourcePath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeDatasource(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
