import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';
import { errorResponses } from '../http/errors.ts';
import { AuthenticatedUser, AuthenticateUser } from './schema.ts';
import { authenticateUser } from './visitors.service.ts';

export const widgetUserRoutes: FastifyPluginAsyncZod<Deps> = async (app, { tokens }) => {
  app.post('/widget/authenticate-user', {
    config: { scope: 'widget:write' },
    schema: {
      operationId: 'authenticateUser',
      tags: ['widget'],
      description:
        'Vouches for a user of yours: saves the contact of this e-mail and answers a token for the widget, to be handed to nobody but that user.',
      body: AuthenticateUser,
      response: { 200: AuthenticatedUser, ...errorResponses(403, 409) },
    },
    handler: ({ db, org, body }) => authenticateUser(db, tokens, org.id, body),
  });
};
