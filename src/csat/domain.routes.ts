import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { csatRoutes } from './routes.ts';
import { surveyRoutes } from './survey/routes.ts';

/** All routes of the domain. */
export const CSAT_ROUTES: FastifyPluginAsyncZod<Deps>[] = [csatRoutes, surveyRoutes];
