import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { phoneNumberRoutes } from './numbers/routes.ts';
import { phoneAgentRoutes } from './routes.ts';

/** All routes of the domain. */
export const PHONE_ROUTES: FastifyPluginAsyncZod<Deps>[] = [phoneAgentRoutes, phoneNumberRoutes];
