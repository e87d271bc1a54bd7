import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  CreateTraining,
  IfMatch,
  ListTraining,
  SetDirectory,
  SetDraft,
  Training,
  TrainingPage,
  TrainingPath,
  UpdateTraining,
} from './schema.ts';
import { changeTraining, createTraining, getTraining, pageOfTraining, removeTraining } from './service.ts';

const tags = ['training'];

export const trainingRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/training', {
    config: { scope: 'training:read' },
    schema: {
      operationId: 'listTraining',
      summary: 'List training',
      tags,
      description: 'Lists training items with drafts, the oldest first.',
      querystring: ListTraining,
      response: { 200: TrainingPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfTraining(db, org.id, query),
  });

  app.post('/training', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'createTraining',
      summary: 'Create training',
      tags,
      description:
        'Creates an item, which the AI uses from then on, as version 1, unless it is a draft. At most 100 BEHAVIORAL items can be in use (409).',
      body: CreateTraining,
      response: { 201: Training, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createTraining(db, org, body);
    },
  });

  app.get('/training/:id', {
    config: { scope: 'training:read' },
    schema: {
      operationId: 'getTraining',
      summary: 'Get a training item',
      description: 'Returns the item with the text that is in use, or that of a draft.',
      tags,
      params: TrainingPath,
      response: { 200: Training, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getTraining(db, org.id, params.id),
  });

  app.patch('/training/:id', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'updateTraining',
      summary: 'Update a training item',
      tags,
      description:
        'Absent fields keep their values. A changed text of an item that is no draft is in use at once, and is the next version. With If-Match, only if the item is as it was seen (412).',
      params: TrainingPath,
      headers: IfMatch,
      body: UpdateTraining,
      response: { 200: Training, ...errorResponses(403, 404, 409, 412) },
    },
    handler: async ({ db, org, params, headers, body }) =>
      changeTraining(db, org, { id: params.id, ifMatch: headers['if-match'] }, body),
  });

  app.put('/training/:id/draft', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'setTrainingDraft',
      summary: 'Publish or unpublish a training item',
      tags,
      description:
        'Publishes a draft, or makes a published item a draft that the AI does not use. A text that differs from the last version becomes the next one.',
      params: TrainingPath,
      body: SetDraft,
      response: { 200: Training, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => changeTraining(db, org, params, body),
  });

  app.put('/training/:id/directory', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'setTrainingDirectory',
      summary: 'Move a training item',
      description: 'Moves the item to a directory, or out of all with null.',
      tags,
      params: TrainingPath,
      body: SetDirectory,
      response: { 200: Training, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => changeTraining(db, org, params, body),
  });

  app.delete('/training/:id', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'deleteTraining',
      summary: 'Delete a training item',
      description: 'Deletes the item with its versions. The AI no longer knows it.',
      tags,
      params: TrainingPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeTraining(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
