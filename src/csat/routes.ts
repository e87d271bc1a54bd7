import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { jsonOrCsv, streamCsv, wantsCsv } from '../api/edge/documents/csv.ts';
import { once } from '../api/edge/once.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { CsatScore, ListScores, ScoredSession, ScorePage, SubmitScore } from './schema.ts';
import { allScores, getScore, pageOfScores, submitScore } from './service.ts';

const tags = ['csat'];
const CSV_COLUMNS = Object.keys(CsatScore.shape);

export const csatRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post(
    '/csat/scores',
    once({
      config: { scope: 'csat:write' },
      schema: {
        operationId: 'submitCsatScore',
        summary: 'Submit a satisfaction score',
        tags,
        description:
          'Scores the latest resolution of a session; 409 if it was never resolved. A resolution has one score: another one is a 409, the same one again changes nothing.',
        body: SubmitScore,
        response: { 201: CsatScore, ...errorResponses(403, 404, 409) },
      },
      act: async ({ db, org, body }, { reply }) => {
        reply.code(201);
        return { answer: await submitScore(db, org.id, body) };
      },
      redact: {
        sessionOf: ({ body }) => body.session_id,
        withoutTexts: (score) => ({ ...score, comment: null }),
      },
    }),
  );

  app.get('/csat/scores', {
    config: { scope: 'csat:read' },
    schema: {
      operationId: 'listCsatScores',
      tags,
      summary: 'List CSAT scores',
      description:
        'Lists the scores given in a range. With `Accept: text/csv`, all of them from the cursor on come as CSV, regardless of `limit`.',
      querystring: ListScores,
      response: { 200: jsonOrCsv(ScorePage), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) => {
      const { db, org, query } = request;
      reply.header('vary', 'accept');
      return wantsCsv(request)
        ? streamCsv(reply, allScores(db, org.id, query), CSV_COLUMNS)
        : pageOfScores(db, org.id, query);
    },
  });

  app.get('/csat/scores/session/:id', {
    config: { scope: 'csat:read' },
    schema: {
      operationId: 'getCsatScore',
      summary: 'Get the score of a session',
      tags,
      description: 'Returns the latest satisfaction score of a session; 404 while it has none.',
      params: ScoredSession,
      response: { 200: CsatScore, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getScore(db, org.id, params.id),
  });
};
