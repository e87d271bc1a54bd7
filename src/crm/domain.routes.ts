import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { crmHandoffRoutes } from './handoffs/routes.ts';
import { crmEventLogRoutes } from './inbound/event-log.routes.ts';
import { crmWebhookRoutes } from './inbound/webhooks.routes.ts';
import { miawRoutes } from './salesforce/routes.ts';

/** All routes of the domain. */
export const CRM_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  crmHandoffRoutes,
  crmWebhookRoutes,
  crmEventLogRoutes,
  miawRoutes,
];
