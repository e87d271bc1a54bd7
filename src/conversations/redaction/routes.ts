import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { redactStoredAnswers } from '../../api/edge/idempotency.queries.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { ListRedactions, Redacted, RedactionPage, RedactMessage, RedactSession } from './schema.ts';
import { deleteRedactedFiles, pageOfRedactions, redactMessage, redactSession } from './service.ts';

const tags = ['redaction'];

export const redactionRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { db: pool, storage, deliveries, filePurgeMs } = deps;
  // Files of a redaction are deleted after its response. Files left by a crash, or by an absent storage, are deleted at
  // the start and from time to time.
  const deleteFiles = () =>
    deleteRedactedFiles(pool, storage).catch((error: unknown) =>
      app.log.warn({ err: error }, 'files of a redaction could not be deleted; trying again later'),
    );
  let purging: NodeJS.Timeout | undefined;
  app.addHook('onListen', async () => {
    void deleteFiles();
    purging = setInterval(() => void deleteFiles(), filePurgeMs);
  });
  app.addHook('preClose', async () => clearInterval(purging));
  app.addHook('onResponse', deleteFiles);

  app.get('/redaction', {
    config: { scope: 'redaction:read' },
    schema: {
      operationId: 'listRedactions',
      summary: 'List redactions',
      tags,
      description: 'Who redacted what, when and why, oldest first. Never what was redacted.',
      querystring: ListRedactions,
      response: { 200: RedactionPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfRedactions(db, org.id, query),
  });

  app.post('/redaction/message', {
    config: { scope: 'redaction:write' },
    schema: {
      operationId: 'redactMessage',
      summary: 'Redact a message',
      tags,
      description:
        'Removes for good the text and files of a message, and what was made of them, such as summaries and stored answers. The item stays in the history, marked as redacted. While the message is being sent, it is a 409.',
      body: RedactMessage,
      response: { 200: Redacted, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, body }) => {
      const { affected } = await redactMessage({ db, deliveries, redactStoredAnswers }, org.id, org.keyId, body);
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
      summary: 'Redact a session',
      tags,
      description:
        'Removes for good all texts and files that the session has now, its summary, drafts and closing data. The session, its items and the contact stay. While a message is being sent, it is a 409.',
      body: RedactSession,
      response: { 200: Redacted, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, body }) => {
      const { affected, messages } = await redactSession(
        { db, deliveries, redactStoredAnswers },
        org.id,
        org.keyId,
        body,
      );
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
