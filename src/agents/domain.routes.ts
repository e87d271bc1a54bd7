import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../deps.ts';
import { actionRoutes } from './actions/routes.ts';
import { autopilotRoutes } from './autopilot/routes.ts';
import { fareHarborRoutes } from './fareharbor/routes.ts';
import { phoneAgentRoutes } from './phone-agents/routes.ts';

/** All routes of the domain. */
export const AGENT_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  actionRoutes,
  autopilotRoutes,
  fareHarborRoutes,
  phoneAgentRoutes,
];
