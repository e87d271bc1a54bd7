import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { memberOf } from '../../api/edge/member.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { sessionCookieOf } from '../cookies.ts';
import { endOwnSession, listOwnSessions } from '../sessions.service.ts';
import { Me, OwnSessionPath, OwnSessions, UpdateMe } from './schema.ts';
import { changeOwnProfile, describeCaller } from './service.ts';

const tags = ['me'];
const config = { scope: 'any' } as const;

/** Routes for the caller itself: the own profile of a member, and its sessions. */
export const meRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config: addresses }) => {
  const cookie = sessionCookieOf(addresses);

  app.get('/me', {
    config,
    schema: {
      operationId: 'getMe',
      tags,
      summary: 'Get the caller',
      description:
        'Returns the member who is signed in, or the org of an API key, with the scopes that the caller has.',
      response: { 200: Me, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => describeCaller(db, addresses, org),
  });

  app.patch('/me', {
    config,
    schema: {
      operationId: 'updateMe',
      tags,
      summary: 'Update your profile',
      description:
        'Changes the profile of the member who is signed in. Absent fields keep their values. An API key has none (403).',
      body: UpdateMe,
      response: { 200: Me, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => changeOwnProfile(db, addresses, { ...org, member: memberOf(org) }, body),
  });

  app.get('/me/sessions', {
    config,
    schema: {
      operationId: 'listMySessions',
      tags,
      summary: 'List your dashboard sessions',
      description:
        'Lists where the member is signed in, the newest first. A session ends 12 hours after its last use, and 30 days after the sign-in at the latest. An API key has none (403).',
      response: { 200: OwnSessions, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => {
      const sessions = await listOwnSessions(db, org.id, memberOf(org).id);
      return { items: sessions.map((one) => ({ ...one, is_current: one.id === org.keyId })), next: null };
    },
  });

  app.delete('/me/sessions/:id', {
    config,
    schema: {
      operationId: 'endMySession',
      tags,
      summary: 'End a dashboard session',
      description:
        'Signs the member out of one of its dashboard sessions, which may be the present one. Its streams end within a second.',
      params: OwnSessionPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await endOwnSession(db, org.id, { userId: memberOf(org).id, id: params.id });
      return NO_BODY;
    },
  });

  app.post('/logout', {
    config: { ...config, isRepeatable: true },
    schema: {
      operationId: 'logOut',
      tags,
      summary: 'Sign out',
      description: 'Ends the session that the request came by, and deletes its cookie. An API key has none (403).',
      response: { 204: z.void().describe('Signed out.'), ...errorResponses(403) },
    },
    handler: async ({ db, org }, reply) => {
      await endOwnSession(db, org.id, { userId: memberOf(org).id, id: org.keyId });
      reply.code(204).clearCookie(cookie.name, cookie.options);
    },
  });
};
