import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Insight, InsightPath } from '../schema.ts';
import { ArchiveInsight, AssignInsight, UpdateInsight } from './schema.ts';
import { archiveInsight, assignInsight, changeInsight, reopenInsight, resolveInsight } from './service.ts';

const tags = ['insights'];
const shared = { tags, params: InsightPath };
const answers = { 200: Insight, ...errorResponses(403, 404) };

/** Whether a body comes from a read: only those have the id. */
const hasId = (body: unknown): boolean => typeof body === 'object' && body !== null && 'id' in body;

/** Routes for changes of an insight. */
export const stateRoutes: FastifyPluginAsyncZod = async (app) => {
  app.patch('/insights/:id', {
    config: { scope: 'insights:write' },
    schema: {
      ...shared,
      operationId: 'updateInsight',
      summary: 'Update an insight',
      description:
        'Sets the name and the category by hand; absent fields keep their values. What is set by hand is never changed automatically. An unknown category is a 400.',
      body: UpdateInsight,
      response: answers,
    },
    handler: async ({ db, org, params, body, given }) =>
      changeInsight(db, org.id, params.id, body, { isSentBack: hasId(given.body) }),
  });

  app.post('/insights/:id/assign', {
    config: { scope: 'insights:write' },
    schema: {
      ...shared,
      operationId: 'assignInsight',
      summary: 'Assign an insight to a team',
      description: 'Replaces the team that the insight was assigned to. With `groupId: null`, it has none.',
      body: AssignInsight,
      response: answers,
    },
    handler: async ({ db, org, params, body }) => assignInsight(db, org.id, params.id, body.groupId),
  });

  app.post('/insights/:id/resolve', {
    config: { scope: 'insights:write' },
    schema: {
      ...shared,
      operationId: 'resolveInsight',
      summary: 'Resolve an insight',
      description:
        'Resolves the insight; an archived one is a 409. It reopens by itself when a customer says it again later, with the session in `reopened_because`.',
      response: { ...answers, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => resolveInsight(db, org.id, params.id, org.keyId),
  });

  app.post('/insights/:id/archive', {
    config: { scope: 'insights:write' },
    schema: {
      ...shared,
      operationId: 'archiveInsight',
      summary: 'Archive an insight',
      description: 'Archives the insight. It still counts its occurrences, and none of them reopens it.',
      body: ArchiveInsight,
      response: answers,
    },
    handler: async ({ db, org, params, body }) => archiveInsight(db, org.id, params.id, body.reason),
  });

  app.post('/insights/:id/reopen', {
    config: { scope: 'insights:write' },
    schema: {
      ...shared,
      operationId: 'reopenInsight',
      summary: 'Reopen an insight',
      description: 'Makes a resolved or archived insight unresolved.',
      response: answers,
    },
    handler: async ({ db, org, params }) => reopenInsight(db, org.id, params.id),
  });
};
