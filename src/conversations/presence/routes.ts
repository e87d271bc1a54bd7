import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { memberOf } from '../../api/edge/member.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SessionPath } from '../sessions/schema.ts';
import { getSession } from '../sessions/service.ts';
import type { Presence } from './presence.ts';
import { SetPresence } from './schema.ts';

const tags = ['chat sessions'];
const config = { scope: 'chat-sessions:write' } as const;
const response = { 204: z.void().describe('Done.'), ...errorResponses(403, 404) };

/** Routes for who views a session, and who types there. */
export const presenceRoutes: FastifyPluginAsyncZod<Deps> = async (app, { presence }) => {
  const announce = async ({ db, org }: FastifyRequest, sessionId: string, state: Presence['state']) => {
    const member = { id: memberOf(org).id, name: org.name };
    await getSession(db, org.id, sessionId);
    presence.announce({ orgId: org.id, sessionId, member, state });
  };

  app.put('/chat/sessions/:id/presence', {
    config,
    schema: {
      operationId: 'setMyPresence',
      tags,
      summary: 'Show that you view a session, or type in it',
      description:
        'Shows the member who is signed in to the others: streams of the topic `presence` get `presence {session_id, member, state}`, and the contact’s widget sees that somebody types. Repeat it every 15 seconds: it is over after 30. An API key has none (403).',
      params: SessionPath,
      body: SetPresence,
      response,
    },
    handler: async (request, reply) => {
      await announce(request, request.params.id, request.body.state);
      reply.code(204);
    },
  });

  app.delete('/chat/sessions/:id/presence', {
    config,
    schema: {
      operationId: 'endMyPresence',
      tags,
      summary: 'Show that you have left a session',
      description: 'Ends the presence of the member who is signed in. Streams get the state `gone`.',
      params: SessionPath,
      response,
    },
    handler: async (request, reply) => {
      await announce(request, request.params.id, 'gone');
      reply.code(204);
    },
  });
};
