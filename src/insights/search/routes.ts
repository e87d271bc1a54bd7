import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Insight, InsightPath } from '../schema.ts';
import { getInsight } from '../service.ts';
import { InsightPage, InsightQuery } from './schema.ts';
import { queryInsights } from './service.ts';

const tags = ['insights'];

/** Routes to find insights. */
export const searchRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/insights', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'queryInsights',
      tags,
      summary: 'Query insights',
      description:
        'Lists the insights that meet every condition, 25 a page. Conditions on sessions count only the sessions that meet all of them: `occurrence_count` and `minSessions` are about those.',
      body: InsightQuery,
      response: { 200: InsightPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => queryInsights(db, org.id, body),
  });

  app.get('/insights/:id', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'getInsight',
      tags,
      summary: 'Get an insight',
      description: 'Returns an insight. The id of one that was merged answers with the one that it is part of.',
      params: InsightPath,
      response: { 200: Insight, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getInsight(db, org.id, params.id),
  });
};
