import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { inviteRoutes } from './invites.routes.ts';
import { loginRoutes } from './login.routes.ts';
import { ownOrgRoutes } from './me/orgs.routes.ts';
import { meRoutes } from './me/routes.ts';
import { signInPageRoutes } from './pages.routes.ts';

/** All routes of the domain. */
export const SIGN_IN_ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  signInPageRoutes,
  loginRoutes,
  inviteRoutes,
  meRoutes,
  ownOrgRoutes,
];
