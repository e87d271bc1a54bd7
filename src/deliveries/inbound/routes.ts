import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { leaveUnread } from '../../api/edge/input/text-file.ts';
import { once } from '../../api/edge/once.ts';
import { notFound } from '../../errors.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { createMailIntake } from '../mail/raw-mail.ts';
import { storeGivenMail } from './emails/given-mail.service.ts';
import { receiveMailUpload } from './emails/mail-upload.ts';
import { createMailTokens } from './mail-tokens.ts';
import { findMessageSource } from './messages.queries.ts';
import { loadPicture } from './picture-download.ts';
import {
  InboundMail,
  InboundMailQuery,
  MessagePath,
  MessagePicture,
  MessageSource,
  PicturePath,
  StoredMail,
} from './schema.ts';

/** Routes of messages from contacts. */
export const inboundRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, quota, egress }) => {
  const tokens = createMailTokens(config.signingSecrets);
  const intake = createMailIntake(config.MAX_INBOUND_MAIL_MB * 1024 ** 2);

  await app.register(async (mails: typeof app) => {
    mails.removeAllContentTypeParsers();
    mails.addContentTypeParser('message/rfc822', leaveUnread);

    mails.post(
      '/email/inbound',
      once({
        config: { scope: 'email:write' },
        schema: {
          operationId: 'receiveEmail',
          summary: 'Hand over an e-mail',
          tags: ['email'],
          description:
            'Takes an e-mail as it came, for installations whose mail another server receives. It is for the inboxes in `to`, or else those in its Delivered-To, To and Cc. Once answered, it is stored; it is processed in the background, once, whatever is repeated.',
          consumes: ['message/rfc822'],
          querystring: InboundMailQuery,
          body: InboundMail,
          response: { 202: StoredMail, ...errorResponses(403) },
        },
        receive: async (request) => receiveMailUpload(request, intake),
        prepare: async (_request, { received }) => received,
        async act({ db, org, query }, { prepared: raw, reply }) {
          const id = await storeGivenMail({ db, tokens, inboundDomain: config.INBOUND_DOMAIN }, org.id, {
            raw,
            to: query.to,
          });
          quota.add(raw.size, org.id);
          reply.code(202);
          return { answer: { id } };
        },
      }),
    );
  });

  app.get('/chat/sessions/:id/messages/:messageId/source', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'getMessageSource',
      summary: 'Get the source of a message',
      tags: ['chat sessions'],
      description:
        'Returns the whole of a message that came by e-mail, SMS or WhatsApp. The history shows the new text of an e-mail only. A redaction removes its texts.',
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

  app.get('/chat/sessions/:id/messages/:messageId/pictures/:position', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'getMessagePicture',
      summary: 'Load a remote picture of an e-mail',
      tags: ['chat sessions'],
      description:
        'Loads a picture that the HTML of an e-mail refers to, up to 2 MB. Its server learns that somebody reads the e-mail, but not who: ask for pictures only when a reader wants them.',
      params: PicturePath,
      response: { 200: MessagePicture, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params: { id: sessionId, messageId, position } }) =>
      loadPicture({ db, egress }, org.id, { sessionId, messageId, position }),
  });
};
