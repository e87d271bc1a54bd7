import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import type { SignedRequest } from '../../providers/crm/hubspot/webhook-signatures.ts';
import { Id } from '../../schemas/parts.ts';
import { createCrmWebhooks, type Receipt } from './webhooks.service.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const WebhookPath = z.object({ orgId: Id, token: z.string().min(1).max(100) });

/**
 * Receives the webhooks of CRMs. Public: the address or the signature identifies the sender. Answers as soon as
 * everything is stored.
 */
export const crmWebhookRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, db, secrets }) => {
  const { HUBSPOT_CLIENT_ID: clientId, HUBSPOT_CLIENT_SECRET: clientSecret, HUBSPOT_BASE_URL: baseUrl } = config;
  const crmApp = clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret, baseUrl };
  const receiver = createCrmWebhooks({ db, secrets, app: crmApp });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  const callOf = ({ method, raw, headers, body }: FastifyRequest): SignedRequest => ({
    method,
    url: `${config.PUBLIC_URL}${raw.url}`,
    headers,
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  });
  const note = ({ log }: FastifyRequest, receipt: Receipt) => {
    if (receipt.malformed > 0) log.warn(receipt, 'the CRM posted malformed events, which were skipped');
  };

  app.post(
    '/crm/webhook/:orgId/:token',
    {
      config: { scope: 'public', limitedBy: 'refusals' },
      bodyLimit: MAX_BODY_BYTES,
      schema: { params: WebhookPath, hide: true },
    },
    async (request) => {
      const { orgId, token } = request.params;
      note(request, await receiver.receiveForOrg(orgId, token, callOf(request)));
      return {};
    },
  );

  app.post(
    '/crm/webhook',
    { config: { scope: 'public', limitedBy: 'refusals' }, bodyLimit: MAX_BODY_BYTES, schema: { hide: true } },
    async (request) => {
      const { receipts, strayPortals } = await receiver.receiveForApp(callOf(request));
      for (const receipt of receipts) note(request, receipt);
      if (strayPortals.length > 0)
        request.log.warn(
          { portals: strayPortals },
          'the CRM posted events for portals without exactly one confirmed org',
        );
      return {};
    },
  );
};
