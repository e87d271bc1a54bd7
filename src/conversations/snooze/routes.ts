import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SessionPath } from '../sessions/schema.ts';
import { Snoozed, SnoozeSession } from './schema.ts';
import { snoozeSession } from './service.ts';

export const snoozeRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/chat/sessions/:id/snooze', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'snoozeChatSession',
      tags: ['chat sessions'],
      summary: 'Snooze a session',
      description:
        'Snoozes an open session until a time, or until its contact writes, in place of a former snooze; a closed one is a 409. A message of the contact, closing the session and `{"until": null}` end the snooze at once.',
      params: SessionPath,
      body: SnoozeSession,
      response: { 200: Snoozed, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => snoozeSession(db, org.id, params.id, body),
  });
};
