import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { forbidden, notFound } from '../../errors.ts';
import { CALLBACK_PROVIDERS } from '../../orgs/integrations/schema.ts';
import { setOrg } from '../../processes/current-work.ts';
import { Id } from '../../schemas/parts.ts';
import { answerPlatform } from './platform-requests.service.ts';
import { isValidHandshake, readCallback, receiveCallback } from './service.ts';

/** Meta batches reports in bodies of up to 3 MB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const CallbackPath = z.object({ provider: z.enum(CALLBACK_PROVIDERS), orgId: Id, token: z.string().min(1).max(64) });
const MetaPath = CallbackPath.omit({ provider: true });
const SubscriptionHandshake = z.object({
  'hub.mode': z.literal('subscribe'),
  'hub.verify_token': z.string().max(1024),
  'hub.challenge': z.string().max(1024),
});

/** The callbacks of providers: status reports and the messages of contacts. Public, but each callback must be signed. */
export const callbackRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { config, secrets, callbacks: urls, phoneTools, transferHold },
) => {
  const deps = { secrets, urls, isDevelopment: config.DEVELOPMENT };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.post(
    '/callbacks/:provider/:orgId/:token',
    {
      config: { scope: 'public', limitedBy: 'refusals' },
      bodyLimit: MAX_BODY_BYTES,
      schema: { params: CallbackPath, hide: true },
    },
    async (request, reply) => {
      const { provider, orgId, token } = request.params;
      if (!urls.isToken(provider, orgId, token)) throw notFound('callback address');
      setOrg(orgId);
      const url = `${config.PUBLIC_URL}${request.raw.url}`;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const callback = { provider, url, headers: request.headers, body };
      const content = await readCallback(request.db, deps, orgId, callback);
      if (content === undefined) throw forbidden('The signature is missing or wrong');
      if (content.challenge !== undefined) return { challenge: content.challenge };
      const answer = await answerPlatform(
        request.db,
        { ...deps, phoneTools, transferHold, log: request.log },
        orgId,
        content,
      );
      if (answer !== undefined) return answer;
      await receiveCallback(request.db, orgId, provider, content);
      if (provider !== 'twilio') return {};
      reply.type('text/xml; charset=utf-8'); // Twilio would send any other body to the contact as text
      return '<?xml version="1.0" encoding="UTF-8"?><Response/>';
    },
  );

  app.get(
    '/callbacks/meta/:orgId/:token',
    {
      config: { scope: 'public', limitedBy: 'refusals' },
      schema: { params: MetaPath, querystring: SubscriptionHandshake, hide: true },
    },
    async (request, reply) => {
      const { orgId, token } = request.params;
      if (!urls.isToken('meta', orgId, token)) throw notFound('callback address');
      if (!(await isValidHandshake(request.db, secrets, orgId, request.query['hub.verify_token'])))
        throw forbidden('hub.verify_token is not the one of a connection to WhatsApp, Messenger or Instagram');
      reply.type('text/plain; charset=utf-8');
      return request.query['hub.challenge'];
    },
  );
};
