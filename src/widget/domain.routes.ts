import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { embedRoutes } from './embed.routes.ts';
import { widgetRoutes } from './routes.ts';
import { widgetSettingsRoutes } from './settings.routes.ts';
import { widgetUserRoutes } from './users.routes.ts';

/** All routes of the domain. */
export const WIDGET_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  widgetUserRoutes,
  widgetSettingsRoutes,
  widgetRoutes,
  embedRoutes,
];
