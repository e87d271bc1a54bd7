import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { Member, RoleName } from '../orgs/schema.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { EmailAddress, Name } from '../schemas/parts.ts';
import { limitMails } from './login.routes.ts';
import { inviteMember } from './mail.service.ts';

const InviteMember = z
  .object({ email: EmailAddress.toLowerCase(), name: Name.optional(), role: RoleName.default('agent') })
  .meta({ id: 'InviteMember', examples: [{ email: 'ben@acme.example', role: 'agent' }] });

/** The route by which an org adds members. */
export const inviteRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, rateLimits }) => {
  app.post('/members', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'inviteMember',
      tags: ['members'],
      summary: 'Invite a member',
      description:
        'Adds a member and mails a login link, unless the server has no SMTP_URL. A present member keeps its name and role, and gets another link.',
      body: InviteMember,
      response: { 201: Member, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      await limitMails(rateLimits, body.email, reply);
      const member = await inviteMember(db, org.id, body, { isMailed: config.SMTP_URL !== undefined });
      return reply.code(201).send(member);
    },
  });
};
