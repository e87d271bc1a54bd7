import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SimulateWorkflow, SimulationAnswer } from './schema.ts';
import { simulateWorkflow } from './service.ts';

/** Route for dry runs of workflows. */
export const simulationRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/workflows/simulate', {
    config: { scope: 'workflows:read' },
    schema: {
      operationId: 'simulateWorkflow',
      summary: 'Simulate a workflow',
      tags: ['workflows'],
      description:
        'Simulates a stored workflow or a draft with a sample or a past event. Waits end at once, actions only show their input, and nothing has an effect.',
      body: SimulateWorkflow,
      response: { 200: SimulationAnswer, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, body }) => simulateWorkflow(db, org.id, body),
  });
};
