import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { Training, TrainingPath } from './schema.ts';
import { ListVersions, RollBack, TrainingVersion, TrainingVersionPage, VersionPath } from './versions.schema.ts';
import { getVersion, pageOfVersions, rollBackTraining } from './versions.service.ts';

const tags = ['training'];

/** Routes of the versions of training items. */
export const trainingVersionRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/training/:id/versions', {
    config: { scope: 'training:read' },
    schema: {
      operationId: 'listTrainingVersions',
      tags,
      summary: 'List training versions',
      description:
        'Lists the versions of an item, the oldest first. Each publication of a changed title or content is one, and the newest 100 are kept.',
      params: TrainingPath,
      querystring: ListVersions,
      response: { 200: TrainingVersionPage, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) => pageOfVersions(db, org.id, params.id, query),
  });

  app.get('/training/:id/versions/:version', {
    config: { scope: 'training:read' },
    schema: {
      operationId: 'getTrainingVersion',
      description: 'Returns the title and the content as they were in this version.',
      tags,
      summary: 'Get a training version',
      params: VersionPath,
      response: { 200: TrainingVersion, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getVersion(db, org.id, params.id, params.version),
  });

  app.post('/training/:id/rollback', {
    config: { scope: 'training:write' },
    schema: {
      operationId: 'rollBackTraining',
      tags,
      summary: 'Publish an earlier version again',
      description:
        'Publishes the title and the content of an earlier version as the next version. A draft is published by it, and the text that was edited in it is replaced. The text that is in use already makes no new version.',
      params: TrainingPath,
      body: RollBack,
      response: { 200: Training, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => rollBackTraining(db, org, params.id, body.version),
  });
};
