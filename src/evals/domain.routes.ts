import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { publishingRoutes } from './publishing.routes.ts';
import { evalRoutes } from './routes.ts';

/** All routes of the domain. */
export const EVAL_ROUTES: FastifyPluginAsyncZod<Deps>[] = [evalRoutes, publishingRoutes];
