import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import {
  Delivery,
  DeliveryDetail,
  DeliveryFilters,
  DeliveryPage,
  DeliveryPath,
  DeliveryReasons,
  ListDeliveries,
  ResolveDelivery,
} from './schema.ts';
import { countDeliveryReasons, describeDelivery, pageOfDeliveries, resolveDelivery } from './service.ts';

const tags = ['deliveries'];

export const deliveryRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/deliveries', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'listDeliveries',
      summary: 'List deliveries',
      tags,
      description:
        'Lists every message and call of the organization on any channel by creation, including those not made, with the reason.',
      querystring: ListDeliveries,
      response: { 200: DeliveryPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfDeliveries(db, org.id, query),
  });

  app.get('/deliveries/reasons', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'countDeliveryReasons',
      summary: 'Count the reasons of deliveries',
      tags,
      description: 'Counts the newest deliveries that have a reason by its beginning and their status.',
      querystring: DeliveryFilters,
      response: { 200: DeliveryReasons, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => countDeliveryReasons(db, org.id, query),
  });

  app.get('/deliveries/:id', {
    config: { scope: 'sequences:read' },
    schema: {
      operationId: 'getDelivery',
      summary: 'Get a delivery',
      description: 'Returns the delivery with the provider’s answer to each attempt and its later reports.',
      tags,
      params: DeliveryPath,
      response: { 200: DeliveryDetail, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => describeDelivery(db, org.id, params.id),
  });

  app.post('/deliveries/:id/resolve', {
    config: { scope: 'sequences:write' },
    schema: {
      operationId: 'resolveDelivery',
      summary: 'Settle an unknown delivery',
      tags,
      description:
        'Settles an `unknown` delivery manually. Nothing is sent, whatever the outcome. Any other delivery is a 409, even one already settled with the same outcome: use Idempotency-Key for retries.',
      params: DeliveryPath,
      body: ResolveDelivery,
      response: { 200: Delivery, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => resolveDelivery(db, org.id, params.id, body.outcome),
  });
};
