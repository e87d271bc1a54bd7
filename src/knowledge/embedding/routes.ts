import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { getLlmIntegration } from './llm-integration.service.ts';
import { LlmIntegration } from './schema.ts';

export const embeddingRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const wanted = { models: deps, secrets: deps.secrets, callbacks: deps.callbacks, publicUrl: deps.config.PUBLIC_URL };

  app.get('/integrations/llm', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'getLlmIntegration',
      tags: ['integrations'],
      summary: 'Get the model connection',
      description:
        'Returns the connection with the outcome of its calls, and in `embedding` what compares questions with the knowledge: the connected model, the model that comes with the product, or words alone. Without a connection, `provider` is null.',
      response: { 200: LlmIntegration, ...errorResponses(403) },
    },
    handler: ({ db, org }) => getLlmIntegration(db, wanted, org.id),
  });
};
