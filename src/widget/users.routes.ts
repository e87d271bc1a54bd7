import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { AuthenticatedUser, AuthenticateUser } from './schema.ts';
import { authenticateUser } from './visitors.service.ts';

export const widgetUserRoutes: FastifyPluginAsyncZod<Deps> = async (app, { tokens, secrets }) => {
  app.post('/widget/authenticate-user', {
    config: { scope: 'widget:write', takesUnknownFields: true },
    schema: {
      operationId: 'authenticateUser',
      summary: 'Authenticate a user of the widget',
      tags: ['widget'],
      description:
        'Verifies one of your users: saves the contact with this e-mail and returns a token for the widget, valid for 30 days. Give the token to that user only. A phone number of another contact is a 409.',
      body: AuthenticateUser,
      response: { 200: AuthenticatedUser, ...errorResponses(403, 409) },
    },
    handler: ({ db, org, body }) => authenticateUser({ db, tokens, secrets }, org.id, body),
  });
};
