import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { Export, ExportPage, ExportPath, ListExports, StartExport, StartedExport } from './schema.ts';
import { cancelExport, getExport, pageOfExports, startExport } from './service.ts';

const tags = ['exports'];
/** Each resource has its own scope, which the service asserts. */
const config = { scope: 'any' } as const;

export const exportRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config: { STORAGE_URL }, mediaLinks }) => {
  app.post('/exports', {
    config,
    schema: {
      operationId: 'startExport',
      tags,
      summary: 'Export records',
      description:
        'Writes all records of a kind to a file, by a job that GET /exports/{id} shows. The file has one moment’s state, without redacted texts. Needs the scope to read what it has: `contacts:read`, `chat-sessions:read`, `sequences:read` for deliveries, or `training:read`, `help-center:read` and `crawl:read` for knowledge.',
      body: StartExport,
      response: { 202: StartedExport, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(202);
      return startExport(db, { caller: org, hasStorage: STORAGE_URL !== undefined }, body);
    },
  });

  app.get('/exports', {
    config,
    schema: {
      operationId: 'listExports',
      tags,
      summary: 'List exports',
      description: 'Lists the exports whose contents the caller may read.',
      querystring: ListExports,
      response: { 200: ExportPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfExports(db, mediaLinks, org, query),
  });

  app.get('/exports/:id', {
    config,
    schema: {
      operationId: 'getExport',
      tags,
      summary: 'See how far an export is',
      description: 'With the link to the file, once it is complete. Kept for 30 days after its end.',
      params: ExportPath,
      response: { 200: Export, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getExport(db, mediaLinks, org, params.id),
  });

  app.post('/exports/:id/cancel', {
    config,
    schema: {
      operationId: 'cancelExport',
      tags,
      summary: 'Cancel an export',
      description: 'Ends a running export, or deletes the file of a completed one.',
      params: ExportPath,
      response: { 200: Export, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => cancelExport(db, mediaLinks, org, params.id),
  });
};
