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
      description: 'All connections of the organization. Secrets are shown as `***`.',
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
        'Shows how the calls of the connection end. Connections of a partner’s kind are in the list only. `llm` has its own operation.',
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
        description: 'Replaces the settings and clears the results of earlier tests.',
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
      description: 'Deletes the settings of the connection. What needs it is refused from now on.',
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
      description: 'Makes one harmless real call with the stored settings and says what came back.',
      params: IntegrationRef,
      response: { 200: TestAnswer, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => testIntegration(db, { secrets, check: checkIntegration }, org.id, params.kind),
  });
};
