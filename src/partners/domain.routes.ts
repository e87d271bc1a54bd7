import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { partnerRoutes } from './routes.ts';

/** All routes of the domain. */
export const PARTNER_ROUTES: FastifyPluginAsyncZod<Deps>[] = [partnerRoutes];
