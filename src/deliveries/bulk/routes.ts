import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { BulkResults, StartedJob } from '../../conversations/bulk/schema.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ChangeDeliveries } from './schema.ts';
import { settleDeliveriesByHand, startDeliveryJob } from './service.ts';

/** Routes that change many deliveries. */
export const deliveryBulkRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/deliveries/bulk', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'changeDeliveries',
      tags: ['deliveries'],
      summary: 'Settle many unknown deliveries',
      description:
        'Settles `unknown` deliveries manually, each once. With `ids` it does so at once: any other delivery has an `error`. With `query`, the answer is 202 and a job (GET /jobs/{id}) for those that are unknown now, at most 50,000.',
      body: ChangeDeliveries,
      response: { 200: BulkResults, 202: StartedJob, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body: { ids, query = {}, action } }, reply) => {
      const decision = { outcome: action.outcome, userId: org.member?.id ?? null };
      if (ids !== undefined) return { results: await settleDeliveriesByHand(db, org.id, ids, decision) };
      reply.code(202);
      return startDeliveryJob(db, org.id, query, decision);
    },
  });
};
