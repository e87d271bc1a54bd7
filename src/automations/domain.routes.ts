import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { definitionRoutes } from './definitions.routes.ts';
import { workflowRoutes } from './routes.ts';
import { bulkRunRoutes } from './runs/bulk/routes.ts';
import { runOverviewRoutes } from './runs/overview/routes.ts';
import { runRoutes } from './runs/routes.ts';
import { simulationRoutes } from './simulation/routes.ts';
import { inboundWebhookRoutes } from './triggers/webhooks.routes.ts';

/** All routes of the domain. */
export const AUTOMATION_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  workflowRoutes,
  runRoutes,
  runOverviewRoutes,
  bulkRunRoutes,
  simulationRoutes,
  inboundWebhookRoutes,
  definitionRoutes,
];
