import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { WidgetSettings } from './settings.schema.ts';
import { getWidgetSettings, replaceWidgetSettings } from './settings.service.ts';

export const widgetSettingsRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.get('/widget/settings', {
    config: { scope: 'widget:read' },
    schema: {
      operationId: 'getWidgetSettings',
      summary: 'Get the widget settings',
      tags: ['widget'],
      description: 'Returns how the chat widget looks, what it asks for, and which pages may use it.',
      response: { 200: WidgetSettings, ...errorResponses(403) },
    },
    handler: ({ db, org }) => getWidgetSettings(db, org.id),
  });

  app.put('/widget/settings', {
    config: { scope: 'widget:write' },
    schema: {
      operationId: 'replaceWidgetSettings',
      summary: 'Replace the widget settings',
      tags: ['widget'],
      description:
        'Replaces the settings of the chat widget: what is absent gets its default. Pages see them within five minutes.',
      body: WidgetSettings,
      response: { 200: WidgetSettings, ...errorResponses(403) },
    },
    handler: ({ db, org, body }) => replaceWidgetSettings(db, org.id, body),
  });
};
