import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { officeHoursRoutes } from './office-hours/routes.ts';
import { tagCategoryRoutes } from './tag-categories/routes.ts';
import { tagRoutes } from './tags/routes.ts';
import { teamRoutes } from './teams/routes.ts';

/** All routes of the domain. */
export const DESK_ROUTES: FastifyPluginAsyncZod<Deps>[] = [officeHoursRoutes, teamRoutes, tagRoutes, tagCategoryRoutes];
