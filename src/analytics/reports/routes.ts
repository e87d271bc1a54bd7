import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { jsonOrCsv, sendCsv, wantsCsv } from '../../api/edge/documents/csv.ts';
import type { Db } from '../../db/connect.ts';
import type { CsvRow } from '../../reports/csv.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
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

interface Report<Query extends z.ZodType, Answer extends ReportAnswer> {
  operationId: string;
  summary: string;
  description: string;
  query: Query;
  answer: Answer;
  read(db: Db, orgId: string, query: z.output<Query>): Promise<z.output<Answer> & { items: CsvRow[] }>;
}
type ReportAnswer = z.ZodObject<{ totals: z.ZodObject }>;

/** The route of a report. */
const route = <Query extends z.ZodType, Answer extends ReportAnswer>({
  query,
  answer,
  read,
  description,
  ...texts
}: Report<Query, Answer>) => ({
  config: { scope: 'insights:read' } as const,
  schema: {
    ...texts,
    tags: ['analytics'],
    description: `${description} With \`Accept: text/csv\` the items come as CSV.`,
    querystring: query,
    response: { 200: jsonOrCsv(answer), ...errorResponses(400, 403) },
  },
  handler: async (request: FastifyRequest & { query: z.output<Query> }, reply: FastifyReply) =>
    send(request, reply, answer, await read(request.db, request.org.id, request.query)),
});

function send<Answer extends { items: CsvRow[] }>(
  request: FastifyRequest,
  reply: FastifyReply,
  { shape: { totals } }: ReportAnswer,
  answer: Answer,
): Answer | FastifyReply {
  reply.header('vary', 'accept');
  return wantsCsv(request) ? sendCsv(reply, answer.items, ['key', 'name', ...Object.keys(totals.shape)]) : answer;
}

/** Routes of reports, each as JSON or CSV. */
export const analyticsRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get(
    '/analytics/conversations',
    route({
      operationId: 'reportConversations',
      summary: 'Report conversations',
      description:
        'Reports the sessions opened in the range, their messages, and how long contacts waited. Times count in the present office hours of the team that has the session now; without a team or office hours, all time counts.',
      query: ConversationQuery,
      answer: ConversationReport,
      read: reportConversations,
    }),
  );

  app.get(
    '/analytics/csat',
    route({
      operationId: 'reportCsat',
      summary: 'Report CSAT',
      description: 'Reports the scores given in the range.',
      query: CsatQuery,
      answer: CsatReport,
      read: reportCsat,
    }),
  );

  app.get(
    '/analytics/sla',
    route({
      operationId: 'reportSla',
      summary: 'Report SLA',
      description: 'Reports the SLA targets decided in the range, as /sla/analytics counts them.',
      query: SlaQuery,
      answer: SlaReport,
      read: reportSla,
    }),
  );

  app.get(
    '/analytics/deliveries',
    route({
      operationId: 'reportDeliveries',
      summary: 'Report deliveries',
      description: 'Reports the deliveries created in the range, by their outcome.',
      query: DeliveryQuery,
      answer: DeliveryReport,
      read: reportDeliveries,
    }),
  );

  app.get(
    '/analytics/automations',
    route({
      operationId: 'reportAutomations',
      summary: 'Report workflows',
      description: 'Reports the runs of workflows created in the range.',
      query: AutomationQuery,
      answer: AutomationReport,
      read: reportAutomations,
    }),
  );

  app.get(
    '/analytics/ai',
    route({
      operationId: 'reportAi',
      summary: 'Report the AI',
      description:
        'Reports the share of sessions that the AI answered and resolved, who came back, its turns and their cost.',
      query: AiQuery,
      answer: AiReport,
      read: reportAi,
    }),
  );
};
