import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { ContactPath } from '../../contacts/schema.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ListTimeline, Timeline } from './schema.ts';
import { pageOfTimeline } from './service.ts';

/** The route for all that there is of a contact. */
export const timelineRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/contacts/:id/timeline', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'listContactTimeline',
      tags: ['contacts'],
      summary: 'List what happened with a contact',
      description: 'Lists all there is of a contact, newest first, as far as the caller’s scopes may read it.',
      params: ContactPath,
      querystring: ListTimeline,
      response: { 200: Timeline, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => pageOfTimeline(db, org, params.id, query),
  });
};
