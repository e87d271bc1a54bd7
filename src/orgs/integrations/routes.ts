import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { hasScope } from '../../schemas/scopes.ts';
import {
  INTEGRATION_BODIES,
  INTEGRATION_KINDS,
  Integration,
  IntegrationList,
  IntegrationRef,
  TestAnswer,
} from './schema.ts';
import { getIntegration, putIntegration, readIntegrations, removeIntegration, testIntegration } from './service.ts';

/** What each kind connects, for people. */
const PROVIDERS: Record<(typeof INTEGRATION_KINDS)[number], string> = {
  email: 'an SMTP server',
  sms: 'SMS by Twilio',
  whatsapp: 'WhatsApp by Meta',
  messenger: 'Messenger by Meta',
  instagram: 'Instagram by Meta',
  slack: 'Slack',
  voice: 'phone calls by Vapi',
  crm: 'HubSpot',
  miaw: 'Salesforce Messaging',
  llm: 'a model provider',
};

export const integrationRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { config, secrets, callbacks, checkIntegration },
) => {
  const deps = { secrets, publicUrl: config.PUBLIC_URL, callbacks };

  app.get('/integrations', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'listIntegrations',
      summary: 'List integrations',
      description:
        'Lists all connections by kind and name, with the outcome of their calls. Secrets are shown as `***`, and `webhook_url` only to callers with the scope `org:write`.',
      tags: ['integrations'],
      response: { 200: IntegrationList, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => {
      const items = await readIntegrations(db, deps, org.id);
      const isShown = hasScope(org, 'org:write');
      return { items: isShown ? items : items.map((item) => ({ ...item, webhook_url: undefined })), next: null };
    },
  });

  app.get('/integrations/:kind', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'getIntegration',
      summary: 'Get an integration',
      tags: ['integrations'],
      description:
        'Returns the connection with the outcome of its calls. Secrets are shown as `***`, and `webhook_url` only to callers with the scope `org:write`. `fareharbor` and `llm` have separate operations.',
      params: IntegrationRef,
      response: { 200: Integration, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      const item = await getIntegration(db, deps, org.id, params.kind);
      return hasScope(org, 'org:write') ? item : { ...item, webhook_url: undefined };
    },
  });

  for (const kind of INTEGRATION_KINDS) {
    app.put(`/integrations/${kind}`, {
      config: { scope: 'org:write' },
      schema: {
        operationId: `put${kind.charAt(0).toUpperCase()}${kind.slice(1)}Integration`,
        tags: ['integrations'],
        summary: `Connect ${PROVIDERS[kind]}`,
        description:
          'Replaces all settings and clears the outcome of earlier calls. A secret sent as `***` keeps its value; without one to keep, it is refused (400).',
        body: INTEGRATION_BODIES[kind],
        response: { 200: Integration, ...errorResponses(403) },
      },
      handler: ({ db, org, body }) => putIntegration(db, deps, org.id, { kind, ...body }),
    });
  }

  app.delete('/integrations/:kind', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'deleteIntegration',
      summary: 'Disconnect an integration',
      description:
        'Deletes the settings and secrets of the connection. Messages and calls that need it fail from now on. Without its own SMTP server, the organization’s e-mail goes out by that of the installation, if there is one.',
      tags: ['integrations'],
      params: IntegrationRef,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeIntegration(db, org.id, params.kind);
      return NO_BODY;
    },
  });

  app.post('/integrations/:kind/test', {
    config: { scope: 'org:write', isRepeatable: true },
    schema: {
      operationId: 'testIntegration',
      summary: 'Test an integration',
      tags: ['integrations'],
      description:
        'Makes one harmless call to the provider with the stored settings, and records the outcome on the connection. A call that the provider refuses is a 200 with `connected: false`.',
      params: IntegrationRef,
      response: { 200: TestAnswer, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => testIntegration(db, { secrets, check: checkIntegration }, org.id, params.kind),
  });
};
