import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { embeddingRoutes } from './embedding/routes.ts';
import { helpFeedbackRoutes } from './help-center/feedback/pages.routes.ts';
import { feedbackRedactionRoutes } from './help-center/feedback/routes.ts';
import { helpPageRoutes } from './help-center/pages.routes.ts';
import { helpCenterRoutes } from './help-center/routes.ts';
import { knowledgeSearchRoutes } from './search/routes.ts';
import { directoryRoutes } from './training/directories.routes.ts';
import { trainingRoutes } from './training/routes.ts';
import { trainingVersionRoutes } from './training/versions.routes.ts';

/** All routes of the domain. */
export const KNOWLEDGE_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  trainingRoutes,
  trainingVersionRoutes,
  directoryRoutes,
  knowledgeSearchRoutes,
  helpCenterRoutes,
  helpPageRoutes,
  helpFeedbackRoutes,
  feedbackRedactionRoutes,
  embeddingRoutes,
];
