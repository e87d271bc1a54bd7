import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Insight, InsightPath } from '../schema.ts';
import {
  ListOccurrences,
  ListOperations,
  MergeInsights,
  OccurrencePage,
  Operation,
  OperationList,
  OperationPage,
  OperationPath,
  SplitInsight,
} from './schema.ts';
import { mergeInsights, pageOfOccurrences, pageOfOperations, splitInsight, undoOperation } from './service.ts';

const tags = ['insights'];

/** Routes about the assignment of statements to insights. */
export const lineageRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/insights/:id/occurrences', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'listInsightOccurrences',
      tags,
      summary: 'List occurrences of an insight',
      description: 'Lists what customers said about it, word for word, the latest first.',
      params: InsightPath,
      querystring: ListOccurrences,
      response: { 200: OccurrencePage, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => pageOfOccurrences(db, org.id, params.id, query),
  });

  app.post('/insights/:id/merge', {
    config: { scope: 'insights:write' },
    schema: {
      operationId: 'mergeInsights',
      tags,
      summary: 'Merge insights into one',
      description:
        'Makes the insights part of this one, with all their occurrences; their ids and numbers lead to it. Answers with one operation for each, which can be undone. One that is part of another already is a 409.',
      params: InsightPath,
      body: MergeInsights,
      response: { 200: OperationList, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => mergeInsights(db, org, params.id, body.insight_ids),
  });

  app.post('/insights/:id/split', {
    config: { scope: 'insights:write' },
    schema: {
      operationId: 'splitInsight',
      tags,
      summary: 'Split an insight',
      description:
        'Makes occurrences a separate insight, with the next number. Answers with it, and with the operation, which can be undone. All occurrences of an insight are a 409.',
      params: InsightPath,
      body: SplitInsight,
      response: {
        200: z.object({ operation: Operation, insight: Insight }).meta({ id: 'InsightSplit' }),
        ...errorResponses(403, 404, 409),
      },
    },
    handler: async ({ db, org, params, body }) => splitInsight(db, org, params.id, body),
  });

  app.get('/insights/operations', {
    config: { scope: 'insights:read' },
    schema: {
      operationId: 'listInsightOperations',
      tags,
      summary: 'List merges and splits',
      description: 'Lists merges and splits in the order in which they were done.',
      querystring: ListOperations,
      response: { 200: OperationPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfOperations(db, org.id, query),
  });

  app.post('/insights/operations/:operationId/undo', {
    config: { scope: 'insights:write' },
    schema: {
      operationId: 'undoInsightOperation',
      tags,
      summary: 'Undo a merge or a split',
      description:
        'Moves occurrences back to where they were. Those that were added since then go with those that they are like. An operation that is undone, or that a later one depends on, is a 409.',
      params: OperationPath,
      response: { 200: Operation, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => undoOperation(db, org, params.operationId),
  });
};
