import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { errorResponses } from '../../schemas/error-answers.ts';
import { StoredAiSettings, UpdateAiSettings } from './schema.ts';
import { changeAiSettings, getAiSettings } from './service.ts';

const tags = ['autopilot'];

/** Routes of the AI's settings. */
export const aiSettingsRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/autopilot/settings', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'getAutopilotSettings',
      tags,
      summary: 'Get the settings of the AI',
      description: 'Returns the draft, and what is published. Turns use what is published, and say which version.',
      response: { 200: StoredAiSettings, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => getAiSettings(db, org.id),
  });

  app.patch('/autopilot/settings', {
    config: { scope: 'autopilot:write' },
    schema: {
      operationId: 'updateAutopilotSettings',
      tags,
      summary: 'Change the draft of the settings',
      description:
        'Changes the draft alone; absent fields keep their values, null resets one. POST /autopilot/settings/publish puts it into effect.',
      body: UpdateAiSettings,
      response: { 200: StoredAiSettings, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => changeAiSettings(db, org.id, body),
  });
};
