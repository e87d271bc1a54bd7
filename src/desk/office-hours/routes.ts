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
      description: 'Lists office hours in the order of creation, with their shifts and holidays.',
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
      description:
        'Creates shifts by day of the week, and holidays, in a time zone. Teams, SLA policies and the widget refer to them by id.',
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
      description: 'Returns the office hours with their shifts and holidays.',
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
      summary: 'Check whether the office is open',
      tags,
      description:
        'Returns whether the office is open at a time, and when that changes next. Shifts follow the wall clock of the time zone: an hour skipped by a clock change is no working time, a repeated hour counts both times.',
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
      description:
        'Replaces the name, the zone and the shifts, and the holidays if given. A shift without the id of a present one is refused (400): new shifts need new office hours. Clocks of open sessions are computed again.',
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
      description:
        'Refuses (409) while a team or an SLA policy uses the office hours. A widget that uses them shows no hours afterwards.',
      params: OfficeHoursPath,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => {
      await removeOfficeHours(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
