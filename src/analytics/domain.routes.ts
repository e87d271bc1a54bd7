import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { handoffRoutes } from './handoffs/routes.ts';
import { analyticsRoutes } from './reports/routes.ts';

/** All routes of the domain. */
export const ANALYTICS_ROUTES: FastifyPluginAsyncZod[] = [analyticsRoutes, handoffRoutes];
