import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { DeliveriesPath, DeliveryDetail, DeliveryPage, DeliveryPath, ListDeliveries } from './schema.ts';
import { getDelivery, pageOfDeliveries, resendDelivery } from './service.ts';

const tags = ['webhooks'];

/** Routes of what was sent to an endpoint. */
export const webhookDeliveryRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/webhooks/:id/deliveries', {
    config: { scope: 'webhooks:read' },
    schema: {
      operationId: 'listWebhookDeliveries',
      tags,
      summary: 'List webhook deliveries',
      description: 'Lists the deliveries of an endpoint by creation. They are deleted 30 days after their event.',
      params: DeliveriesPath,
      querystring: ListDeliveries,
      response: { 200: DeliveryPage, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) =>
      pageOfDeliveries(db, { orgId: org.id, endpointId: params.id }, query),
  });

  app.get('/webhooks/:id/deliveries/:deliveryId', {
    config: { scope: 'webhooks:read' },
    schema: {
      operationId: 'getWebhookDelivery',
      tags,
      summary: 'Get a webhook delivery',
      description: 'Returns what was sent, and what the endpoint answered each time.',
      params: DeliveryPath,
      response: { 200: DeliveryDetail, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) =>
      getDelivery(db, { orgId: org.id, endpointId: params.id }, params.deliveryId),
  });

  app.post('/webhooks/:id/deliveries/:deliveryId/resend', {
    config: { scope: 'webhooks:write' },
    schema: {
      operationId: 'resendWebhookDelivery',
      tags,
      summary: 'Resend a webhook delivery',
      description:
        'Sends the delivery at once, in whatever state it is, with the same `webhook-id`, and then by the schedule of retries. A disabled endpoint is a 409.',
      params: DeliveryPath,
      response: { 200: DeliveryDetail, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) =>
      resendDelivery(db, { orgId: org.id, endpointId: params.id }, params.deliveryId),
  });
};
