import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { AutopilotList, UpdateAutopilot } from './schema.ts';
import { readAutopilot, updateAutopilot } from './service.ts';

const tags = ['autopilot'];

export const autopilotRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const hasMailServer = config.SMTP_URL !== undefined;

  app.get('/autopilot', {
    config: { scope: 'autopilot:read' },
    schema: {
      operationId: 'listAutopilot',
      summary: 'List autopilot by channel',
      description:
        'Lists for each channel whether the AI answers there, and by which version. It is off until it is switched on.',
      tags,
      response: { 200: AutopilotList, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => readAutopilot(db, org.id, { hasMailServer }),
  });

  app.patch('/autopilot', {
    config: { scope: 'autopilot:write' },
    schema: {
      operationId: 'updateAutopilot',
      summary: 'Switch autopilot on a channel',
      description:
        'Switches one channel on or off, and returns all of them, with `warnings` for those that are on and not connected. An absent `ai_agent_version` stays as it is.',
      tags,
      body: UpdateAutopilot,
      response: { 200: AutopilotList, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => {
      await updateAutopilot(db, org.id, body);
      return readAutopilot(db, org.id, { hasMailServer });
    },
  });
};
