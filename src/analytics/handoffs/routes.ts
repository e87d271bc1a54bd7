import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { HandoffEventPage, HandoffEventsQuery, HandoffQuery, HandoffReport } from './schema.ts';
import { pageOfHandoffs, reportHandoffs } from './service.ts';

const tags = ['analytics'];

/** Routes of the report of handoffs. */
export const handoffRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/handoff-analytics', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'getHandoffAnalytics',
      tags,
      summary: 'Get handoff analytics',
      description:
        'Reports the handoffs in the range, by reason, sentiment, channel and day. An agent who takes a session over without a handoff is not counted. Texts and sentiment of a handoff are known until its session is returned to the AI.',
      querystring: HandoffQuery,
      response: { 200: HandoffReport, ...errorResponses(400, 403) },
    },
    handler: ({ db, org, query }) => reportHandoffs(db, org.id, query),
  });

  app.get('/handoff-analytics/events', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'listHandoffEvents',
      tags,
      summary: 'List handoffs',
      description: 'Lists the handoffs that GET /handoff-analytics counts.',
      querystring: HandoffEventsQuery,
      response: { 200: HandoffEventPage, ...errorResponses(400, 403) },
    },
    handler: ({ db, org, query }) => pageOfHandoffs(db, org.id, query),
  });
};
