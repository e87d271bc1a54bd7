import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../http/errors.ts';
import { CsatScore, ScoredSession, SubmitScore } from './schema.ts';
import { getScore, submitScore } from './service.ts';

const tags = ['csat'];

export const csatRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/csat/scores', {
    config: { scope: 'csat:write' },
    schema: {
      operationId: 'submitCsatScore',
      tags,
      description:
        'Scores the latest resolution of a session. Each has one score: another one is a 409, the same one again changes nothing.',
      body: SubmitScore,
      response: { 201: CsatScore, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return submitScore(db, org.id, body);
    },
  });

  app.get('/csat/scores/session/:id', {
    config: { scope: 'csat:read' },
    schema: {
      operationId: 'getCsatScore',
      tags,
      description: 'The latest score of a session; 404 while it has none.',
      params: ScoredSession,
      response: { 200: CsatScore, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getScore(db, org.id, params.id),
  });
};
