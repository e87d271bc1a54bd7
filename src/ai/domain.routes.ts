import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { calibrationRoutes } from './calibration/routes.ts';
import { callRoutes } from './calls/routes.ts';
import { citationRoutes } from './citations/routes.ts';
import { confirmationLinkRoutes } from './confirmations/link.routes.ts';
import { confirmationRoutes } from './confirmations/routes.ts';
import { previewRoutes } from './preview/routes.ts';
import { scenarioRoutes } from './scenarios/routes.ts';
import { aiSettingsRoutes } from './settings/routes.ts';
import { turnRoutes } from './turns/routes.ts';

/** All routes of the domain. */
export const AI_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  aiSettingsRoutes,
  turnRoutes,
  previewRoutes,
  calibrationRoutes,
  callRoutes,
  confirmationRoutes,
  confirmationLinkRoutes,
  citationRoutes,
  scenarioRoutes,
];
