import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { notFound } from '../../errors.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { findMessageSource } from './messages.queries.ts';
import { MessagePath, MessageSource } from './source.schema.ts';

export const sourceRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.get('/chat/sessions/:id/messages/:messageId/source', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'getMessageSource',
      summary: 'Read a contact’s message as it came',
      tags: ['chat sessions'],
      description:
        'The whole of a message that came by e-mail, SMS or WhatsApp. The history shows the new text of an e-mail only.',
      params: MessagePath,
      response: { 200: MessageSource, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      const source = await findMessageSource(db, org.id, { sessionId: params.id, messageId: params.messageId });
      if (source === undefined) throw notFound('message from a provider');
      const { provider_id: id, cc, ...message } = source;
      const isId = message.channel === 'email' && id.startsWith('<');
      return { ...message, message_id: isId ? id : null, cc: cc ?? [] };
    },
  });
};
