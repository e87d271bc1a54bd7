import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../../api/deps.ts';
import { Redacted } from '../../../conversations/redaction/schema.ts';
import { errorResponses } from '../../../schemas/error-answers.ts';
import { RedactFeedback } from './schema.ts';
import { redactFeedback } from './service.ts';

export const feedbackRedactionRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.post('/redaction/feedback', {
    config: { scope: 'redaction:write' },
    schema: {
      operationId: 'redactFeedback',
      summary: 'Redact a reader’s sentence',
      tags: ['redaction'],
      description: 'Removes for good the sentence of an item of getHelpCenterFeedback. Its answer stays counted.',
      body: RedactFeedback,
      response: { 200: Redacted, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, body }) => {
      const affectedCount = await redactFeedback(db, org.id, org.keyId, body);
      return {
        success: true,
        message: affectedCount > 0 ? 'The sentence is redacted' : 'The sentence was redacted before',
        itemId: body.feedbackId,
        redactionType: 'feedback' as const,
        affectedCount,
      };
    },
  });
};
