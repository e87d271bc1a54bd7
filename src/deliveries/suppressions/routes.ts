import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { AddSuppression, ListSuppressions, Suppression, SuppressionPage, SuppressionPath } from './schema.ts';
import { addSuppression, pageOfSuppressions, removeSuppression } from './service.ts';

const tags = ['deliveries'];

export const suppressionRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/suppressions', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'listSuppressions',
      summary: 'List suppressions',
      description:
        'Lists the suppressed addresses with the reason. Transactional e-mail still goes to them, unless an address has bounced.',
      tags,
      querystring: ListSuppressions,
      response: { 200: SuppressionPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfSuppressions(db, org.id, query),
  });

  app.post('/suppressions', {
    config: { scope: 'contacts:write', isSetUp: true },
    schema: {
      operationId: 'addSuppression',
      summary: 'Suppress an address',
      tags,
      description:
        'Suppresses an address on a channel. Transactional e-mail is still sent to it. A suppression that is there is returned with its own reason.',
      body: AddSuppression,
      response: { 201: Suppression, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return addSuppression(db, org.id, body);
    },
  });

  app.delete('/suppressions/:id', {
    config: { scope: 'contacts:write', isSetUp: true },
    schema: {
      operationId: 'deleteSuppression',
      summary: 'Delete a suppression',
      tags,
      description: 'Allows messages to the address again. Those skipped in the meantime are not sent afterwards.',
      params: SuppressionPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeSuppression(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
