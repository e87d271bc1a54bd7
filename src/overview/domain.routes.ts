import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { attentionRoutes } from './attention/routes.ts';
import { overviewSearchRoutes } from './search/routes.ts';
import { timelineRoutes } from './timeline/routes.ts';

/** All routes of the domain. */
export const OVERVIEW_ROUTES: FastifyPluginAsyncZod[] = [attentionRoutes, timelineRoutes, overviewSearchRoutes];
