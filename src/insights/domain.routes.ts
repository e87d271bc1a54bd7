import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { categoryRoutes } from './categories/routes.ts';
import { lineageRoutes } from './lineage/routes.ts';
import { reviewRoutes } from './review/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { stateRoutes } from './states/routes.ts';

/** All routes of the domain. */
export const INSIGHT_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  searchRoutes,
  stateRoutes,
  lineageRoutes,
  categoryRoutes,
  reviewRoutes,
];
