import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Categories } from './schema.ts';
import { getCategories, replaceCategories } from './service.ts';

const tags = ['insights'];

/** Routes of the categories of insights. */
export const categoryRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/insights/categories', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'getInsightCategories',
      tags,
      summary: 'Get insight categories',
      description: 'Returns the names that insights can have as `category`.',
      response: { 200: Categories, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => getCategories(db, org.id),
  });

  app.put('/insights/categories', {
    config: { scope: 'insights:write' },
    schema: {
      operationId: 'replaceInsightCategories',
      tags,
      summary: 'Replace the categories of insights',
      description:
        'Replaces the setting `insight_categories`. Insights of a category that is gone have none. Each week the other insights get the categories that people have taught, from ten occurrences of a category on.',
      body: Categories,
      response: { 200: Categories, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => replaceCategories(db, org.id, body.categories),
  });
};
