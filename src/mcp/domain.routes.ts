import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { mcpConfirmationRoutes } from './confirmations/routes.ts';
import { mcpRoutes } from './routes.ts';

/** All routes of the domain. */
export const MCP_ROUTES: FastifyPluginAsyncZod<Deps>[] = [mcpRoutes, mcpConfirmationRoutes];
