import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../schemas/error-answers.ts';
import { listAutopilot } from './queries.ts';
import { AutopilotList, UpdateAutopilot } from './schema.ts';
import { updateAutopilot } from './service.ts';

const tags = ['autopilot'];

export const autopilotRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'listAutopilot',
      summary: 'List the autopilot of the channels',
      description: 'Whether the AI answers on each channel, and with which version.',
      tags,
      response: { 200: AutopilotList, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => listAutopilot(db, org.id),
  });

  app.patch('/autopilot', {
    config: { scope: 'autopilot:write' },
    schema: {
      operationId: 'updateAutopilot',
      summary: 'Switch the autopilot of channels',
      description: 'Channels that are not given stay as they are.',
      tags,
      body: UpdateAutopilot,
      response: { 200: AutopilotList, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => {
      await updateAutopilot(db, org.id, body);
      return listAutopilot(db, org.id);
    },
  });
};
