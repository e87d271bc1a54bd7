import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Cursor, NO_BODY, NoBody } from '../../schemas/parts.ts';
import { recoverDeliveries } from '../deliveries/service.ts';
import {
  CreatedEndpoint,
  CreateEndpoint,
  Endpoint,
  EndpointPage,
  EndpointPath,
  QueuedTest,
  Recover,
  Recovered,
  RotatedSecret,
  RotateSecret,
  UpdateEndpoint,
} from './schema.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  pageOfEndpoints,
  rotateSecret,
  testEndpoint,
} from './service.ts';

const tags = ['webhooks'];
const ListEndpoints = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

/** Routes of the endpoints that get an org's events. */
export const webhookEndpointRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, secrets, egress }) => {
  const deps = { secrets, egress };

  app.get('/webhooks', {
    config: { scope: 'webhooks:read' },
    schema: {
      operationId: 'listWebhookEndpoints',
      tags,
      summary: 'List webhook endpoints',
      description: 'Lists the endpoints, oldest first, without their secrets.',
      querystring: ListEndpoints,
      response: { 200: EndpointPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfEndpoints(db, org.id, query),
  });

  app.post('/webhooks', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'createWebhookEndpoint',
      tags,
      summary: 'Create a webhook endpoint',
      description:
        'Sends events to the endpoint from now on, by the Standard Webhooks scheme. The answer is the only one that shows the secret that signs them. More than 50 endpoints are a 409.',
      body: CreateEndpoint,
      response: { 201: CreatedEndpoint, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createEndpoint(db, deps, org.id, body);
    },
  });

  app.get('/webhooks/:id', {
    config: { scope: 'webhooks:read' },
    schema: {
      operationId: 'getWebhookEndpoint',
      tags,
      summary: 'Get a webhook endpoint',
      description: 'Returns its settings without secrets, and whether its deliveries succeed.',
      params: EndpointPath,
      response: { 200: Endpoint, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getEndpoint(db, org.id, params.id),
  });

  app.patch('/webhooks/:id', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'updateWebhookEndpoint',
      tags,
      summary: 'Change a webhook endpoint',
      description:
        'Absent fields keep their values. A `url` of another scheme, host or port needs the values of `headers` again. An endpoint that is enabled again counts as healthy; while deliveries are still being held for it, that is a 409.',
      params: EndpointPath,
      body: UpdateEndpoint,
      response: { 200: Endpoint, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => changeEndpoint(db, deps, org.id, params.id, body),
  });

  app.delete('/webhooks/:id', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'deleteWebhookEndpoint',
      tags,
      summary: 'Delete a webhook endpoint',
      description: 'Deletes the endpoint with its deliveries. Nothing more is sent to it.',
      params: EndpointPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await deleteEndpoint(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.post('/webhooks/:id/test', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'testWebhookEndpoint',
      tags,
      summary: 'Test a webhook endpoint',
      description:
        'Sends a `webhook.test`. GET /webhooks/{id}/deliveries/{delivery_id} shows what came back. A disabled endpoint is a 409.',
      params: EndpointPath,
      response: { 200: QueuedTest, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => ({
      delivery_id: await testEndpoint(db, config.PUBLIC_URL, org.id, params.id),
    }),
  });

  app.post('/webhooks/:id/rotate-secret', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'rotateWebhookSecret',
      tags,
      summary: 'Rotate a webhook secret',
      description:
        'Creates a secret, which only this answer shows. For `grace_hours`, requests have a signature by each secret; those of earlier rotations sign until their time. At most five earlier ones can sign (409).',
      params: EndpointPath,
      body: RotateSecret,
      response: { 200: RotatedSecret, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) =>
      rotateSecret(db, deps, org.id, { id: params.id, graceHours: body.grace_hours }),
  });

  app.post('/webhooks/:id/recover', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'recoverWebhooks',
      tags,
      summary: 'Recover webhook deliveries',
      description:
        'Sends deliveries of a period again: by default those that were held while the endpoint was disabled, and those that failed. Each keeps its `webhook-id`. `dry_run` only counts them; a disabled endpoint is a 409.',
      params: EndpointPath,
      body: Recover,
      response: { 200: Recovered, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => recoverDeliveries(db, { orgId: org.id, endpointId: params.id }, body),
  });
};
