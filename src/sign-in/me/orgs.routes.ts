import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { memberOf } from '../../api/edge/member.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { sessionCookieOf } from '../cookies.ts';
import { switchSession } from '../sessions.service.ts';
import { OwnOrgs, SwitchOrg } from './schema.ts';
import { listOwnOrgs } from './service.ts';

const tags = ['me'];
const config = { scope: 'any' } as const;

/** Routes for the orgs of the member who is signed in. */
export const ownOrgRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config: { PUBLIC_URL } }) => {
  const cookie = sessionCookieOf({ PUBLIC_URL });

  app.get('/me/orgs', {
    config,
    schema: {
      operationId: 'listMyOrgs',
      tags,
      summary: 'List your organizations',
      description:
        'Lists by name the organizations of which the account that is signed in is a member, with its role in each. An API key has no account (403).',
      response: { 200: OwnOrgs, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({ items: await listOwnOrgs(db, { ...org, member: memberOf(org) }), next: null }),
  });

  app.post('/me/switch', {
    config: { ...config, isRepeatable: true, hasRepresentation: false },
    schema: {
      operationId: 'switchMyOrg',
      tags,
      summary: 'Switch to another organization',
      description:
        'Signs the browser in to another organization of the account, in place of the present one (404 for any other). The new session ends no later than the present one could have.',
      body: SwitchOrg,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, cookies, body }, reply) => {
      const member = { userId: memberOf(org).id, orgId: body.org_id };
      reply.setCookie(cookie.name, await switchSession(db, cookie.tokenIn(cookies) ?? '', member), cookie.options);
      return NO_BODY;
    },
  });
};
