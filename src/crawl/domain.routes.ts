import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { datasourceRoutes } from './datasources/routes.ts';
import { crawlJobRoutes } from './jobs/routes.ts';
import { crawlPageRoutes } from './pages/routes.ts';

/** All routes of the domain. */
export const CRAWL_ROUTES: FastifyPluginAsyncZod<Deps>[] = [datasourceRoutes, crawlJobRoutes, crawlPageRoutes];
