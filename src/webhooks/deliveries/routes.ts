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
      summary: 'List the deliveries of an endpoint',
      description: 'Oldest first. Deliveries are deleted 30 days after their event.',
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
      summary: 'Get a delivery with its tries',
      description: 'What was sent, and what the endpoint answered each time.',
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
      summary: 'Send a delivery again',
      description: 'In whatever state it is, with the same `webhook-id`, at once and then by the schedule of retries.',
      params: DeliveryPath,
      response: { 200: DeliveryDetail, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) =>
      resendDelivery(db, { orgId: org.id, endpointId: params.id }, params.deliveryId),
  });
};
