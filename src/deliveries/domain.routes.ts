import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { deliveryBulkRoutes } from './bulk/routes.ts';
import { callbackRoutes } from './callbacks/routes.ts';
import { emailRoutes } from './email/routes.ts';
import { domainRoutes } from './email-domains/routes.ts';
import { inboxRoutes } from './email-inboxes/routes.ts';
import { inboundRoutes } from './inbound/routes.ts';
import { deliveryRoutes } from './ledger/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { suppressionRoutes } from './suppressions/routes.ts';
import { unsubscribeRoutes } from './suppressions/unsubscribe.routes.ts';

/** All routes of the domain. */
export const DELIVERY_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  emailRoutes,
  domainRoutes,
  inboxRoutes,
  inboundRoutes,
  deliveryRoutes,
  deliveryBulkRoutes,
  suppressionRoutes,
  unsubscribeRoutes,
  messageRoutes,
  callbackRoutes,
];
