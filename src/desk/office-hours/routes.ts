import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  CreateOfficeHours,
  ListOfficeHours,
  OfficeHours,
  OfficeHoursPage,
  OfficeHoursPath,
  OfficeHoursStatus,
  OfficeHoursStatusQuery,
  UpdateOfficeHours,
} from './schema.ts';
import {
  createOfficeHours,
  getOfficeHours,
  getOfficeHoursStatus,
  pageOfOfficeHours,
  removeOfficeHours,
  replaceOfficeHours,
} from './service.ts';

const tags = ['office-hours'];

export const officeHoursRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/office-hours', {
    config: { scope: 'office-hours:read' },
    schema: {
      operationId: 'listOfficeHours',
      summary: 'List office hours',
      description: 'All office hours of the organization, with their shifts.',
      tags,
      querystring: ListOfficeHours,
      response: { 200: OfficeHoursPage, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => pageOfOfficeHours(db, org.id, query),
  });

  app.post('/office-hours', {
    config: { scope: 'office-hours:write' },
    schema: {
      operationId: 'createOfficeHours',
      summary: 'Create office hours',
      description: 'Shifts by day of the week, and holidays, in a time zone.',
      tags,
      body: CreateOfficeHours,
      response: { 201: OfficeHours, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createOfficeHours(db, org.id, body);
    },
  });

  app.get('/office-hours/:id', {
    config: { scope: 'office-hours:read' },
    schema: {
      operationId: 'getOfficeHours',
      summary: 'Get office hours',
      description: 'With shifts and holidays.',
      tags,
      params: OfficeHoursPath,
      response: { 200: OfficeHours, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getOfficeHours(db, org.id, params.id),
  });

  app.get('/office-hours/:id/status', {
    config: { scope: 'office-hours:read' },
    schema: {
      operationId: 'getOfficeHoursStatus',
      summary: 'Get whether the office is open',
      tags,
      description:
        'Shifts follow the wall clock of the time zone: an hour skipped by a clock change is no working time, a repeated hour counts both times.',
      params: OfficeHoursPath,
      querystring: OfficeHoursStatusQuery,
      response: { 200: OfficeHoursStatus, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, query: { at } }) =>
      getOfficeHoursStatus(db, org.id, params.id, at === undefined ? new Date() : new Date(at)),
  });

  app.put('/office-hours/:id', {
    config: { scope: 'office-hours:write' },
    schema: {
      operationId: 'updateOfficeHours',
      summary: 'Replace office hours',
      description: 'Replaces shifts and holidays. Clocks of open sessions are computed again.',
      tags,
      params: OfficeHoursPath,
      body: UpdateOfficeHours,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => {
      await replaceOfficeHours(db, org.id, params.id, body);
      return NO_BODY;
    },
  });

  app.delete('/office-hours/:id', {
    config: { scope: 'office-hours:write' },
    schema: {
      operationId: 'deleteOfficeHours',
      summary: 'Delete office hours',
      tags,
      description: 'Refused (409) while a team or an SLA policy uses them.',
      params: OfficeHoursPath,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => {
      await removeOfficeHours(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
