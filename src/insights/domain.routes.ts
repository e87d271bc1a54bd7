import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';
import { searchRoutes } from './search/routes.ts';

/** All routes of the domain. */
export const INSIGHT_ROUTES: FastifyPluginAsyncZod<Deps>[] = [searchRoutes];
