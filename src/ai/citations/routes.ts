import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ChangedCitationPage, ListChangedCitations } from './schema.ts';
import { pageOfChangedCitations } from './service.ts';

/** Route of the answers with changed sources. */
export const citationRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/citations/changed', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listChangedCitations',
      tags: ['autopilot'],
      summary: 'List changed citations',
      description:
        'Lists citations whose passage is no longer in its item word for word, or whose item is gone, by the time of the change. A passage that is there again leaves the list.',
      querystring: ListChangedCitations,
      response: { 200: ChangedCitationPage, ...errorResponses(400, 403) },
    },
    handler: async ({ db, org, query }) => pageOfChangedCitations(db, org.id, query),
  });
};
