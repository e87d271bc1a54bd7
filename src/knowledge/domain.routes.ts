import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';
import { datasourceRoutes } from './crawl/datasources/routes.ts';
import { crawlJobRoutes } from './crawl/jobs/routes.ts';
import { crawlPageRoutes } from './crawl/pages/routes.ts';
import { helpPageRoutes } from './help-center/pages.routes.ts';
import { helpCenterRoutes } from './help-center/routes.ts';
import { knowledgeSearchRoutes } from './search/routes.ts';
import { directoryRoutes } from './training/directories.routes.ts';
import { trainingRoutes } from './training/routes.ts';

/** All routes of the domain. */
export const KNOWLEDGE_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  trainingRoutes,
  directoryRoutes,
  datasourceRoutes,
  crawlJobRoutes,
  crawlPageRoutes,
  knowledgeSearchRoutes,
  helpCenterRoutes,
  helpPageRoutes,
];
