import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { webhookDeliveryRoutes } from './deliveries/routes.ts';
import { webhookEndpointRoutes } from './endpoints/routes.ts';

/** All routes of the domain. */
export const WEBHOOK_ROUTES: FastifyPluginAsyncZod<Deps>[] = [webhookEndpointRoutes, webhookDeliveryRoutes];
