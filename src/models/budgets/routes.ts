import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ListUsage, Usage } from './schema.ts';
import { getUsage } from './service.ts';

/** Route of what models have cost. */
export const usageRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/usage', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'getAutopilotUsage',
      tags: ['autopilot'],
      summary: 'Get the usage of models',
      description:
        'Returns the sums of all calls of models that have ended, by day (UTC), model or purpose: turns, workflows, previews, evals and all else that asks a model. Calls under way are not in it yet.',
      querystring: ListUsage,
      response: { 200: Usage, ...errorResponses(400, 403) },
    },
    handler: async ({ db, org, query }) => getUsage(db, org.id, query),
  });
};
