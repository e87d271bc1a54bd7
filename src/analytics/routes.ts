import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type CsvRow, jsonOrCsv, sendCsv, wantsCsv } from '../http/documents/csv.ts';
import { errorResponses } from '../http/errors.ts';
import {
  AiQuery,
  AiReport,
  AutomationQuery,
  AutomationReport,
  ConversationQuery,
  ConversationReport,
  CsatQuery,
  CsatReport,
  DeliveryQuery,
  DeliveryReport,
  SlaQuery,
  SlaReport,
} from './schema.ts';
import {
  reportAi,
  reportAutomations,
  reportConversations,
  reportCsat,
  reportDeliveries,
  reportSla,
} from './service.ts';

const tags = ['analytics'];
const config = { scope: 'insights:read' } as const;

/** Routes of reports, each as JSON or CSV. */
export const analyticsRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/analytics/conversations', {
    config,
    schema: {
      operationId: 'reportConversations',
      tags,
      summary: 'Report conversations',
      description:
        'The sessions opened in the range, their messages, and how long contacts waited. Times count in the office hours of the team that has the session now, as they are now. All time counts without a team or office hours. With `Accept: text/csv` the items come as CSV.',
      querystring: ConversationQuery,
      response: { 200: jsonOrCsv(ConversationReport), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) =>
      send(
        { request, reply, figures: ConversationReport.shape.totals.shape },
        await reportConversations(request.db, request.org.id, request.query),
      ),
  });

  app.get('/analytics/csat', {
    config,
    schema: {
      operationId: 'reportCsat',
      tags,
      summary: 'Report CSAT',
      description: 'The scores given in the range. With `Accept: text/csv` the items come as CSV.',
      querystring: CsatQuery,
      response: { 200: jsonOrCsv(CsatReport), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) =>
      send(
        { request, reply, figures: CsatReport.shape.totals.shape },
        await reportCsat(request.db, request.org.id, request.query),
      ),
  });

  app.get('/analytics/sla', {
    config,
    schema: {
      operationId: 'reportSla',
      tags,
      summary: 'Report SLA',
      description:
        'The SLA targets decided in the range, as /sla/analytics counts them. With `Accept: text/csv` the items come as CSV.',
      querystring: SlaQuery,
      response: { 200: jsonOrCsv(SlaReport), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) =>
      send(
        { request, reply, figures: SlaReport.shape.totals.shape },
        await reportSla(request.db, request.org.id, request.query),
      ),
  });

  app.get('/analytics/deliveries', {
    config,
    schema: {
      operationId: 'reportDeliveries',
      tags,
      summary: 'Report deliveries',
      description:
        'The deliveries created in the range, by what has become of them. With `Accept: text/csv` the items come as CSV.',
      querystring: DeliveryQuery,
      response: { 200: jsonOrCsv(DeliveryReport), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) =>
      send(
        { request, reply, figures: DeliveryReport.shape.totals.shape },
        await reportDeliveries(request.db, request.org.id, request.query),
      ),
  });

  app.get('/analytics/automations', {
    config,
    schema: {
      operationId: 'reportAutomations',
      tags,
      summary: 'Report workflows',
      description: 'The runs of workflows created in the range. With `Accept: text/csv` the items come as CSV.',
      querystring: AutomationQuery,
      response: { 200: jsonOrCsv(AutomationReport), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) =>
      send(
        { request, reply, figures: AutomationReport.shape.totals.shape },
        await reportAutomations(request.db, request.org.id, request.query),
      ),
  });

  app.get('/analytics/ai', {
    config,
    schema: {
      operationId: 'reportAi',
      tags,
      summary: 'Report the AI',
      description:
        'The share of sessions that the AI answered and resolved, who came back, its turns and their cost. With `Accept: text/csv` the items come as CSV.',
      querystring: AiQuery,
      response: { 200: jsonOrCsv(AiReport), ...errorResponses(400, 403) },
    },
    handler: async (request, reply) =>
      send(
        { request, reply, figures: AiReport.shape.totals.shape },
        await reportAi(request.db, request.org.id, request.query),
      ),
  });
};

function send<Answer extends { items: CsvRow[] }>(
  { request, reply, figures }: { request: FastifyRequest; reply: FastifyReply; figures: object },
  answer: Answer,
): Answer | FastifyReply {
  reply.header('vary', 'accept');
  return wantsCsv(request) ? sendCsv(reply, answer.items, ['key', 'name', ...Object.keys(figures)]) : answer;
}
