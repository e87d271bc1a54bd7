import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { requestKeyOf } from '../../api/edge/idempotency.ts';
import { once } from '../../api/edge/once.ts';
import { conflict, ProviderError, unavailable } from '../../errors.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { requestCall } from './calls.service.ts';
import { MakeOutboundCall, MakeOutboundCallAnswer, SendTemplate, SendTemplateAnswer } from './schema.ts';
import { sendTemplate, sentTemplateResponseOf } from './whatsapp.service.ts';

/** Says to the caller why WhatsApp did not show the template, and whether to try again. */
function refuseForProvider(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  throw error.transient ? unavailable(error.message) : conflict(error.message);
}

export const messageRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { config, secrets, egress, calls, maxWaitMs, closing },
) => {
  const isDevelopment = config.DEVELOPMENT;
  const defaults = { hasMailServer: config.SMTP_URL !== undefined, isDevelopment };

  app.post(
    '/whatsapp/send-template',
    once({
      config: { scope: 'whatsapp:write' },
      schema: {
        operationId: 'sendTemplate',
        summary: 'Send a WhatsApp template',
        tags: ['whatsapp'],
        description:
          'Sends a template message in a session of the contact, and waits up to 20 seconds for WhatsApp to accept it. If that takes longer, or the outcome is unknown, `whatsapp_message_id` is null and GET /deliveries/{id} shows the status. A message that is refused is a 400; a template that is not approved, a blocked contact and a missing connection are a 409.',
        body: SendTemplate,
        response: { 200: SendTemplateAnswer, ...errorResponses(403, 404, 409) },
      },
      prepare: async (request) => {
        const { db, org, body } = request;
        const deps = { secrets, egress, calls, isDevelopment, maxWaitMs, closing: closing.signal };
        const template = { ...body, requestKey: requestKeyOf(request) };
        return sendTemplate(db, deps, org.id, template).catch(refuseForProvider);
      },
      act: async ({ db, org }, { prepared: sent }) => ({ answer: await sentTemplateResponseOf(db, org.id, sent) }),
    }),
  );

  app.post('/phone/outbound-call', {
    config: { scope: 'phone:write' },
    schema: {
      operationId: 'makeOutboundCall',
      summary: 'Call a contact',
      tags: ['phone'],
      description:
        'Has a phone agent call a contact, in a new session. GET /deliveries/{id} with the call’s id shows its status. A contact without a number is a 400, a missing connection a 409.',
      body: MakeOutboundCall,
      response: { 200: MakeOutboundCallAnswer, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, body }) => requestCall(db, org.id, body, defaults),
  });
};
