import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { SlaBreakdown, SlaBreakdownQuery, SlaQuery, SlaSummary, SlaTrend, SlaTrendQuery } from './analytics/schema.ts';
import { getSlaBreakdown, getSlaSummary, getSlaTrend } from './analytics/service.ts';
import { getSessionSla } from './clocks/service.ts';
import {
  CreateSlaPolicy,
  ListSlaPolicies,
  SlaAssignment,
  SlaPolicy,
  SlaPolicyPage,
  SlaPolicyPath,
  UpdateSlaPolicy,
} from './policies/schema.ts';
import {
  assignPolicy,
  changePolicy,
  createPolicy,
  getPolicy,
  pageOfPolicies,
  removePolicy,
} from './policies/service.ts';
import { SessionSla, SlaSessionPath } from './schema.ts';

const tags = ['sla'];

export const slaRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/sla/policies', {
    config: { scope: 'sla:read' },
    schema: {
      operationId: 'listSlaPolicies',
      summary: 'List SLA policies',
      description: 'Lists the policies in the order of creation, which is the order in which they apply.',
      tags,
      querystring: ListSlaPolicies,
      response: { 200: SlaPolicyPage, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => pageOfPolicies(db, org.id, query),
  });

  app.post('/sla/policies', {
    config: { scope: 'sla:write' },
    schema: {
      operationId: 'createSlaPolicy',
      summary: 'Create an SLA policy',
      tags,
      description:
        'Creates a policy, which applies to no session until PUT /sla/policies/{id}/assignment. More than 100 are a 409.',
      body: CreateSlaPolicy,
      response: { 201: SlaPolicy, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createPolicy(db, org.id, body);
    },
  });

  app.get('/sla/policies/:id', {
    config: { scope: 'sla:read' },
    schema: {
      operationId: 'getSlaPolicy',
      summary: 'Get an SLA policy',
      description: 'Returns the policy with its targets and its assignment.',
      tags,
      params: SlaPolicyPath,
      response: { 200: SlaPolicy, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getPolicy(db, org.id, params.id),
  });

  app.patch('/sla/policies/:id', {
    config: { scope: 'sla:write' },
    schema: {
      operationId: 'updateSlaPolicy',
      summary: 'Update an SLA policy',
      tags,
      description: 'Absent fields keep their values. The clocks of open sessions are computed again.',
      params: SlaPolicyPath,
      body: UpdateSlaPolicy,
      response: { 200: SlaPolicy, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, body }) => changePolicy(db, org.id, params.id, body),
  });

  app.delete('/sla/policies/:id', {
    config: { scope: 'sla:write' },
    schema: {
      operationId: 'deleteSlaPolicy',
      summary: 'Delete an SLA policy',
      tags,
      description:
        'Its open sessions come under the oldest other policy that covers them, or under none. Outcomes decided under it still count.',
      params: SlaPolicyPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removePolicy(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.put('/sla/policies/:id/assignment', {
    config: { scope: 'sla:write' },
    schema: {
      operationId: 'assignSlaPolicy',
      summary: 'Assign an SLA policy',
      tags,
      description:
        'Replaces the conditions by which the policy covers sessions. Open sessions are evaluated again. Unknown teams, tags and segments are a 400.',
      params: SlaPolicyPath,
      body: SlaAssignment,
      response: { 200: SlaPolicy, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, body }) => assignPolicy(db, org.id, params.id, body),
  });

  app.get('/sla/analytics', {
    config: { scope: 'sla:read' },
    schema: {
      operationId: 'getSlaAnalytics',
      summary: 'Get SLA compliance',
      description:
        'Returns for each metric how many targets were met and breached in a range, and the percentiles of the times.',
      tags,
      querystring: SlaQuery,
      response: { 200: SlaSummary, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => getSlaSummary(db, org.id, query),
  });

  app.get('/sla/analytics/trend', {
    config: { scope: 'sla:read' },
    schema: {
      operationId: 'getSlaTrend',
      summary: 'Get SLA compliance over time',
      description: 'Returns the same figures for each day, week or month of a range.',
      tags,
      querystring: SlaTrendQuery,
      response: { 200: SlaTrend, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => getSlaTrend(db, org.id, query),
  });

  app.get('/sla/analytics/breakdown', {
    config: { scope: 'sla:read' },
    schema: {
      operationId: 'getSlaBreakdown',
      summary: 'Get SLA compliance by group',
      description:
        'Returns the same figures for each policy, or for each team, channel or assignee that the sessions have now.',
      tags,
      querystring: SlaBreakdownQuery,
      response: { 200: SlaBreakdown, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => getSlaBreakdown(db, org.id, query),
  });

  app.get('/chat/sessions/:id/sla', {
    config: { scope: 'sla:read' },
    schema: {
      operationId: 'getChatSessionSla',
      summary: 'Get a session’s SLA clocks',
      tags,
      description:
        'Returns the session’s clocks by the present policy and office hours, with the periods that each has counted.',
      params: SlaSessionPath,
      response: { 200: SessionSla, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getSessionSla(db, org.id, params.id),
  });
};
