import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import {
  CreateDirectory,
  Directory,
  DirectoryPage,
  DirectoryPath,
  ListDirectories,
  UpdateDirectory,
} from './directories.schema.ts';
import { changeDirectory, createDirectory, pageOfDirectories, removeDirectory } from './directories.service.ts';

const tags = ['training'];

export const directoryRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/training/directories', {
    config: { scope: 'training:read' },
    schema: {
      operationId: 'listTrainingDirectories',
      summary: 'List training directories',
      tags,
      description: 'Lists the directories, the oldest first. There are none within another.',
      querystring: ListDirectories,
      response: { 200: DirectoryPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfDirectories(db, org.id, query),
  });

  app.post('/training/directories', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'createTrainingDirectory',
      summary: 'Create a training directory',
      description: 'Creates a directory, which orders training for people. The AI searches all of them.',
      tags,
      body: CreateDirectory,
      response: { 201: Directory, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createDirectory(db, org.id, body);
    },
  });

  app.patch('/training/directories/:id', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'updateTrainingDirectory',
      summary: 'Rename a training directory',
      description: 'Renames the directory. Its items stay in it.',
      tags,
      params: DirectoryPath,
      body: UpdateDirectory,
      response: { 200: Directory, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, body }) => changeDirectory(db, org.id, params.id, body),
  });

  app.delete('/training/directories/:id', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'deleteTrainingDirectory',
      summary: 'Delete a training directory',
      tags,
      description: 'Deletes the directory. Its items stay, in no directory.',
      params: DirectoryPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeDirectory(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
