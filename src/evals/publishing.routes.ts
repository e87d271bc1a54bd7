import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { StoredAiSettings } from '../ai/settings/schema.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { publishAiSettings } from './publishing.service.ts';

/** The route that publishes the AI's settings, which evals may have to pass first. */
export const publishingRoutes: FastifyPluginAsyncZod = async (app) => {
  app.post('/autopilot/settings/publish', {
    config: { scope: 'autopilot:write' },
    schema: {
      operationId: 'publishAutopilotSettings',
      tags: ['autopilot'],
      summary: 'Publish the draft of the settings',
      description:
        'Publishes the draft, which the next turns use. A draft that is published already makes no new version. Where `publish_requires` wants a run of evals over this draft that has passed, it is a 409 without one.',
      response: { 200: StoredAiSettings, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org }) => publishAiSettings(db, org.id),
  });
};
