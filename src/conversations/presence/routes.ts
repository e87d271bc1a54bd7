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

/** Routes for the viewers of a session, and the people typing there. */
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
      summary: 'Set your presence in a session',
      description:
        'Shows to the others that the member who is signed in views the session or types in it: streams of the topic `presence` get `presence {session_id, member, state}`, and the contact’s widget sees that somebody types. Repeat it every 15 seconds: it is over after 30. An API key has none (403).',
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
      summary: 'End your presence in a session',
      description: 'Shows to the others that the member who is signed in has left. Streams get the state `gone`.',
      params: SessionPath,
      response,
    },
    handler: async (request, reply) => {
      await announce(request, request.params.id, 'gone');
      reply.code(204);
    },
  });
};
