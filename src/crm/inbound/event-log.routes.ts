import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import {
  BatchPath,
  CrmBatchDetail,
  CrmBatchPage,
  ListBatches,
  ReplayBatch,
  ReplayBatches,
  Replayed,
  ReplayedPage,
} from './event-log.schema.ts';
import { getBatchDetail, pageOfBatches, replayBatch, replayBatches } from './event-log.service.ts';

const tags = ['crm'];

export const crmEventLogRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/crm/inbound', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'listCrmBatches',
      summary: 'List batches of the CRM',
      tags,
      description: 'Lists what the CRM posted within 30 days, latest first.',
      querystring: ListBatches,
      response: { 200: CrmBatchPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfBatches(db, org.id, query),
  });

  app.get('/crm/inbound/:id', {
    config: { scope: 'org:read' },
    schema: {
      operationId: 'getCrmBatch',
      summary: 'Get a batch of the CRM',
      description:
        'Returns the batch as the CRM posted it, with its events and the result of each. It is kept for 30 days.',
      tags,
      params: BatchPath,
      response: { 200: CrmBatchDetail, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getBatchDetail(db, org.id, params.id),
  });

  app.post('/crm/inbound/:id/replay', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'replayCrmBatch',
      summary: 'Replay a batch of the CRM',
      tags,
      description:
        'Queues events of the batch that are unknown or have failed, and tries those at once that wait for the CRM after an outage. What is done stays done.',
      params: BatchPath,
      body: ReplayBatch,
      response: { 200: Replayed, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => replayBatch(db, org.id, params.id, body?.dry_run ?? false),
  });

  app.post('/crm/inbound/replay', {
    config: { scope: 'org:write' },
    schema: {
      operationId: 'replayCrmBatches',
      summary: 'Replay the batches of a period',
      tags,
      description:
        'Replays all batches received within a period, some fifty per call: `next` continues after them, and is null after the last.',
      body: ReplayBatches,
      response: { 200: ReplayedPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => replayBatches(db, org.id, body),
  });
};
