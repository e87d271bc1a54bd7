import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { blocklistRoutes } from './blocklist/routes.ts';
import { contactImportRoutes } from './imports/routes.ts';
import { contactMergeRoutes } from './merging/routes.ts';
import { contactRoutes } from './routes.ts';
import { segmentRoutes } from './segments/routes.ts';

/** All routes of the domain. */
export const CONTACT_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  contactRoutes,
  contactImportRoutes,
  contactMergeRoutes,
  segmentRoutes,
  blocklistRoutes,
];
