import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../deps.ts';
import { errorResponses } from '../../http/errors.ts';
import { Redacted, RedactMessage, RedactSession } from './schema.ts';
import { deleteRedactedFiles, redactMessage, redactSession } from './service.ts';

const tags = ['redaction'];

export const redactionRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, storage, deliveries }) => {
  // Files of a redaction are deleted after its response. Those left by a crash are deleted at the start.
  const deleteFiles = () =>
    deleteRedactedFiles(db, storage).catch((error: unknown) =>
      app.log.warn({ err: error }, 'files of a redaction could not be deleted; trying again later'),
    );
  app.addHook('onReady', () => void deleteFiles());
  app.addHook('onResponse', deleteFiles);

  app.post('/redaction/message', {
    config: { scope: 'redaction:write' },
    schema: {
      operationId: 'redactMessage',
      tags,
      description: 'Permanently removes a message’s text and files from all places.',
      body: RedactMessage,
      response: { 200: Redacted, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ org, body }) => {
      const { affected } = await redactMessage({ db, deliveries }, org.id, org.keyId, body);
      return {
        success: true,
        message: affected > 0 ? 'The message is redacted' : 'The message was redacted before',
        itemId: body.messageId,
        redactionType: 'message' as const,
        affectedCount: affected,
      };
    },
  });

  app.post('/redaction/session', {
    config: { scope: 'redaction:write' },
    schema: {
      operationId: 'redactSession',
      tags,
      description: 'Permanently removes the texts and files of a session from all places.',
      body: RedactSession,
      response: { 200: Redacted, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ org, body }) => {
      const { affected, messages } = await redactSession({ db, deliveries }, org.id, org.keyId, body);
      return {
        success: true,
        message: affected > 0 ? 'The session is redacted' : 'The session was redacted before',
        itemId: body.sessionId,
        redactionType: 'session' as const,
        affectedCount: affected,
        messagesRedacted: messages,
      };
    },
  });
};
