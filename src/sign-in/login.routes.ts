import { createHash } from 'node:crypto';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { enforce } from '../api/edge/rate-limits.ts';
import { conflict } from '../errors.ts';
import { networkOf } from '../networks.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { EmailAddress } from '../schemas/parts.ts';
import { requestLoginMail } from './mail.service.ts';
import { NextPath } from './next-path.schema.ts';

const RequestLogin = z
  .object({
    email: EmailAddress.toLowerCase(),
    next: NextPath.optional().describe('The path of the console to open then, such as /console/inbox.'),
  })
  .meta({ id: 'RequestLogin', examples: [{ email: 'ann@acme.example' }] });

/** The route by which a member who is signed out asks for a login link. */
export const loginRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, rateLimits }) => {
  app.post('/login', {
    config: { scope: 'public', limitedBy: 'nothing', isRepeatable: true },
    schema: {
      operationId: 'requestLogin',
      tags: ['me'],
      summary: 'Request a login link',
      description:
        'Mails a login link that works once, within 15 minutes, if the address belongs to a member. The answer is the same for every address. An e-mail address can ask for 30 an hour, and a network address too, unless RATE_LIMIT_SIGN_IN says otherwise; a server without SMTP_URL sends none (409).',
      body: RequestLogin,
      response: { 202: z.object({ sent: z.literal(true) }), ...errorResponses(409) },
    },
    handler: async ({ db, ip, body }, reply) => {
      if (config.SMTP_URL === undefined)
        throw conflict('This server sends no mail: ask for a login link where your account was made');
      await limitLogins(rateLimits, { ip, email: body.email }, reply);
      await requestLoginMail(db, body.email, body.next ?? null);
      reply.code(202);
      return { sent: true as const };
    },
  });
};

/** Counts a request for a login link. Throws a 429 for too many of an e-mail address, or of a network address. */
export async function limitLogins(
  rateLimits: Deps['rateLimits'],
  { ip, email }: { ip: string; email: string },
  reply: Parameters<typeof enforce>[3],
): Promise<void> {
  await enforce(rateLimits, 'sign-in', networkOf(ip), reply);
  await limitMails(rateLimits, email, reply);
}

/** Counts a mail with a login link to an address. Throws a 429 for too many. */
export async function limitMails(
  rateLimits: Deps['rateLimits'],
  email: string,
  reply: Parameters<typeof enforce>[3],
): Promise<void> {
  await enforce(rateLimits, 'sign-in', createHash('sha256').update(email).digest('base64url'), reply);
}
