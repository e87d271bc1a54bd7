import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { actionRoutes } from './definitions/routes.ts';
import { fareHarborRoutes } from './fareharbor/routes.ts';
import { mcpServerRoutes } from './mcp/routes.ts';

/** All routes of the domain. */
export const ACTION_ROUTES: FastifyPluginAsyncZod<Deps>[] = [actionRoutes, fareHarborRoutes, mcpServerRoutes];
