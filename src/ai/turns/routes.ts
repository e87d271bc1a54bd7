import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { ListSessionTurns, ListTurns, Turn, TurnPage, TurnPath } from './schema.ts';
import { getTurn, giveBackToAi, pageOfSessionTurns, pageOfTurns } from './service.ts';

const tags = ['autopilot'];

/** Routes of the AI's turns: their steps and reasons. */
export const turnRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/turns', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listAutopilotTurns',
      tags,
      summary: 'List turns of the AI',
      description: 'Lists what the AI did in the last 30 days unless `from` or `to` is given.',
      querystring: ListTurns,
      response: { 200: TurnPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfTurns(db, org.id, query),
  });

  app.get('/autopilot/turns/:id', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'getAutopilotTurn',
      tags,
      summary: 'Get a turn of the AI',
      description: 'Returns what the AI looked at, what it said, and why.',
      params: TurnPath,
      response: { 200: Turn, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getTurn(db, org.id, params.id),
  });

  app.get('/chat/sessions/:id/turns', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listChatSessionTurns',
      tags,
      summary: 'List the turns of a session',
      description: 'Lists what the AI did in a session, oldest first.',
      params: TurnPath,
      querystring: ListSessionTurns,
      response: { 200: TurnPage, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => pageOfSessionTurns(db, org.id, params.id, query),
  });

  app.post('/chat/sessions/:id/return-to-ai', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'returnChatSessionToAi',
      tags,
      summary: 'Return a session to the AI',
      description:
        'Ends the handoff and the assignment of an open session; a closed one is a 409. The AI answers again, first the messages that wait for a reply. A session that the AI has already stays as it is.',
      params: TurnPath,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => {
      await giveBackToAi(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
