import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { integrationRoutes } from './integrations/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { orgRoutes } from './routes.ts';

/** All routes of the domain. */
export const ORG_ROUTES: FastifyPluginAsyncZod<Deps>[] = [orgRoutes, memberRoutes, integrationRoutes];
