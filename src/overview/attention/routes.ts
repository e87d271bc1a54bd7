import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { readableKinds } from '../parts.schema.ts';
import { listAttention } from './queries.ts';
import { ATTENTION_SCOPES, Attention } from './schema.ts';

/** The route for what needs a person. */
export const attentionRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/org/attention', {
    config: { scope: 'any' },
    schema: {
      operationId: 'listAttention',
      tags: ['organization'],
      summary: 'List what needs a person',
      description:
        'Lists what stays as it is until a person acts: at most 50 items a kind, and failures of workflows of 7 days. It has what the caller’s scopes may read.',
      response: { 200: Attention, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({
      items: await listAttention(db, org.id, readableKinds(ATTENTION_SCOPES, org.scopes)),
    }),
  });
};
