import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { FoundKnowledge, SearchKnowledge } from './schema.ts';
import { searchKnowledge } from './service.ts';

export const knowledgeSearchRoutes: FastifyPluginAsyncZod<Deps> = async (app, { semantics }) => {
  app.post('/training/search', {
    config: { scope: 'training:read' },
    schema: {
      operationId: 'searchTrainingKnowledge',
      summary: 'Search the knowledge',
      tags: ['training'],
      description:
        'Returns the best passages of all that the organization knows: training, websites and the help center. No draft is found. `instructions` has the BEHAVIORAL training and the AI profile.',
      body: SearchKnowledge,
      response: { 200: FoundKnowledge, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => searchKnowledge(db, semantics, org.id, body),
  });
};
