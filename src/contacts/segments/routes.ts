import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { CreateSegment, ListSegments, Segment, SegmentPage, SegmentPath, UpdateSegment } from './schema.ts';
import { changeSegment, createSegment, getSegment, pageOfSegments, removeSegment } from './service.ts';

export const segmentRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.get('/segments', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'listSegments',
      summary: 'List segments',
      description: 'Lists the segments in the order of creation.',
      tags: ['contacts'],
      querystring: ListSegments,
      response: { 200: SegmentPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfSegments(db, org.id, query),
  });

  app.post('/segments', {
    config: { scope: 'contacts:write', memberScope: 'sequences:write' },
    schema: {
      operationId: 'createSegment',
      summary: 'Create a segment',
      description: 'Stores a filter under a name. Who belongs to the segment is evaluated whenever it is used.',
      tags: ['contacts'],
      body: CreateSegment,
      response: { 201: Segment, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createSegment(db, org.id, body);
    },
  });

  app.get('/segments/:id', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'getSegment',
      summary: 'Get a segment',
      description: 'Returns the name and the filter of the segment.',
      tags: ['contacts'],
      params: SegmentPath,
      response: { 200: Segment, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getSegment(db, org.id, params.id),
  });

  app.patch('/segments/:id', {
    config: { scope: 'contacts:write', memberScope: 'sequences:write' },
    schema: {
      operationId: 'updateSegment',
      summary: 'Update a segment',
      description: 'Absent fields keep their values. A segment that would contain itself is refused (400).',
      tags: ['contacts'],
      params: SegmentPath,
      body: UpdateSegment,
      response: { 200: Segment, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => changeSegment(db, org.id, params.id, body),
  });

  app.delete('/segments/:id', {
    config: { scope: 'contacts:write', memberScope: 'sequences:write' },
    schema: {
      operationId: 'deleteSegment',
      summary: 'Delete a segment',
      description:
        'Conditions that name the segment hold for nobody from now on, in other filters and in sequences. Its contacts stay.',
      tags: ['contacts'],
      params: SegmentPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeSegment(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
