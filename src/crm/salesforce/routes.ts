import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { MiawAccepted, MiawWebhook } from './schema.ts';
import { requestMiawFetch } from './sync.service.ts';

export const miawRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/crm/miaw/webhook', {
    config: { scope: 'crm-miaw:write', takesUnknownFields: true },
    schema: {
      operationId: 'receiveMiawEvent',
      summary: 'Receive an event of Salesforce Messaging',
      tags: ['crm'],
      description:
        'Fetches new messages of agents from Salesforce Messaging into the session, in the background. Each message is stored once, however often this is called.',
      body: MiawWebhook,
      response: { 200: MiawAccepted, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, body }) => {
      await requestMiawFetch(db, org.id, body.session_id);
      return { success: true as const };
    },
  });
};
