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
      summary: 'Shows the connected model, and what compares questions with the knowledge',
      description:
        'Shows how the calls of the connection end, and which embedding model the org’s questions are compared by. Without a connection it answers too: `provider` is null, and `embedding` says whether the model that comes with the product answers, or words alone.',
      response: { 200: LlmIntegration, ...errorResponses(403) },
    },
    handler: ({ db, org }) => getLlmIntegration(db, wanted, org.id),
  });
};
