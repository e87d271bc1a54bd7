import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { aiDraftRoutes } from './ai/drafts.routes.ts';
import { bulkRoutes } from './bulk/routes.ts';
import { draftRoutes } from './composing/drafts.routes.ts';
import { savedReplyRoutes } from './composing/saved-replies.routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { presenceRoutes } from './presence/routes.ts';
import { readingRoutes } from './reading/routes.ts';
import { redactionRoutes } from './redaction/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { sessionActionRoutes } from './sessions/actions.routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { snoozeRoutes } from './snooze/routes.ts';

/** All routes of the domain. */
export const CONVERSATION_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  sessionRoutes,
  inboxRoutes,
  readingRoutes,
  searchRoutes,
  sessionActionRoutes,
  snoozeRoutes,
  bulkRoutes,
  draftRoutes,
  aiDraftRoutes,
  presenceRoutes,
  savedReplyRoutes,
  redactionRoutes,
  liveRoutes,
];
