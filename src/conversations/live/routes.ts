import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SessionPath } from '../sessions/schema.ts';
import { EventStream, OrgStreamStart, SessionStreamStart } from './schema.ts';
import { getOrgCursor, getSessionCursor } from './service.ts';

const tags = ['chat sessions'];

export const liveRoutes: FastifyPluginAsyncZod<Deps> = async (app, { liveStreams }) => {
  app.get('/chat/sessions/:id/events', {
    config: { scope: 'chat-sessions:read', isStreaming: true },
    schema: {
      operationId: 'streamChatSessionEvents',
      tags,
      description:
        'What happens in the session from now on, or behind the event of Last-Event-ID: each event once, in the order of the history. `ai_turn {id, state, label}` says what a turn of the AI does; the history does not keep it.',
      params: SessionPath,
      ...SessionStreamStart,
      response: { 200: EventStream, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query, headers }, reply) => {
      const cursor = await getSessionCursor(db, org.id, params.id, headers['last-event-id'] || query.last_event_id);
      return reply.streamEvents((sink) => liveStreams.subscribe(cursor, sink));
    },
  });

  app.get('/events', {
    config: { scope: 'chat-sessions:read', isStreaming: true },
    schema: {
      operationId: 'streamEvents',
      tags,
      description:
        'What happens in all sessions of the organization from now on, or behind the event of Last-Event-ID: each event once, in the same order for everyone, which is that of the history in each session. `ai_turn {id, state, label}` says what a turn of the AI does; the history does not keep it.',
      ...OrgStreamStart,
      response: { 200: EventStream, ...errorResponses(403) },
    },
    handler: async ({ db, org, query, headers }, reply) => {
      const cursor = await getOrgCursor(db, org.id, headers['last-event-id'] || query.last_event_id);
      return reply.streamEvents((sink) => liveStreams.subscribe(cursor, sink));
    },
  });
};
