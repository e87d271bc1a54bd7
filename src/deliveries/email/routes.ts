import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SendEmail, SendEmailAnswer } from './schema.ts';
import { requestEmails } from './service.ts';

export const emailRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  app.post('/email', {
    config: { scope: 'email:write' },
    schema: {
      operationId: 'sendEmail',
      summary: 'Send e-mails',
      tags: ['email'],
      description:
        'Sends an e-mail to each of up to 1,000 recipients, now or after `delay_in_minutes`; `data` has a delivery for each, whose status GET /deliveries/{id} shows. `from_email` needs a verified domain (400). Texts may refer to the contact with the address, as those of sequences do: `{{contact.name|there}}`, `{{contact.custom_data.plan}}`; `\\{{` is a literal `{{`. `{{unsubscribe_url}}` in a body is the link for unsubscribing; marketing mail without it ends with one.',
      body: SendEmail,
      response: { 201: SendEmailAnswer, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return requestEmails(db, org.id, body, { isDevelopment: config.DEVELOPMENT, hasPlaceholders: true });
    },
  });
};
