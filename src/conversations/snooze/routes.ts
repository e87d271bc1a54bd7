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
      summary: 'Put a session aside',
      description:
        'Snoozes an open session until a time, or until its contact writes. A message of the contact, closing it and `{"until": null}` end the snooze at once. A new snooze replaces the former one. A closed session takes none (409).',
      params: SessionPath,
      body: SnoozeSession,
      response: { 200: Snoozed, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => snoozeSession(db, org.id, params.id, body),
  });
};
