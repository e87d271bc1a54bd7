import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { FoundItems, SearchAll } from './schema.ts';
import { searchAll } from './service.ts';

/** The route of the search over everything. */
export const overviewSearchRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/search', {
    config: { scope: 'any' },
    schema: {
      operationId: 'searchAll',
      tags: ['organization'],
      summary: 'Search everything',
      description:
        'Finds what the caller’s scopes may read: the best of each kind, and the newest messages, whose first 200 characters are shown.',
      querystring: SearchAll,
      response: { 200: FoundItems, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => searchAll(db, org, query),
  });
};
