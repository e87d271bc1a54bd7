import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { widgetRoutes } from './routes.ts';
import { widgetUserRoutes } from './users.routes.ts';

/** All routes of the domain. */
export const WIDGET_ROUTES: FastifyPluginAsyncZod<Deps>[] = [widgetUserRoutes, widgetRoutes];
