import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { asPage } from '../api/edge/pages/page-answers.ts';
import { assertSameSite } from '../api/edge/same-site.ts';
import { EmailAddress } from '../schemas/parts.ts';
import { sessionCookieOf } from './cookies.ts';
import { findLinkedMember } from './links.service.ts';
import { limitLogins } from './login.routes.ts';
import { requestLoginMail } from './mail.service.ts';
import { NextPath } from './next-path.schema.ts';
import { askForMailPage, mailSentPage, noMailPage, signInPage, usedLinkPage } from './pages.ts';
import { findSession, isOfLink, signInByLink } from './sessions.service.ts';

const MAX_FORM_BYTES = 1_024;
const CONSOLE = '/console';
const HIDDEN = {
  schema: { hide: true },
  config: { scope: 'public', limitedBy: 'address' },
  exposeHeadRoute: false,
} as const; // HEAD must not use up the link
const Linked = z.object({ token: z.string().catch(''), next: NextPath.default(null) }).catch({ token: '', next: null });
const AskedByMail = z.object({
  email: EmailAddress.toLowerCase().nullable().catch(null),
  next: NextPath.default(null),
});

interface Visit {
  token: string;
  /** The path of the console to open. */
  next: string | null;
  /** Of the redirection once signed in. */
  status: 302 | 303;
}

/** The pages behind a login link. */
export const signInPageRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, rateLimits }) => {
  const basePath = new URL(config.dashboardUrl).pathname.replace(/\/$/, '');
  const sessionCookie = sessionCookieOf(config);
  const sendsMail = config.SMTP_URL !== undefined;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  /** Signs in by the link, once. A browser that it has signed in already is sent on as if it was the first time. */
  const signIn = async ({ db, cookies }: FastifyRequest, reply: FastifyReply, { token, next, status }: Visit) => {
    const target = `${basePath}${next ?? CONSOLE}`;
    const former = sessionCookie.tokenIn(cookies);
    const sessionToken = await signInByLink(db, token, former);
    if (sessionToken !== undefined) {
      reply.setCookie(sessionCookie.name, sessionToken, sessionCookie.options);
      return reply.redirect(target, status);
    }
    const session = former === undefined ? undefined : await findSession(db, former);
    if (session !== undefined && isOfLink(session, token)) return reply.redirect(target, status);
    return html(reply, 410, usedLinkPage({ sendsMail, next }));
  };

  app.get('/partner-login', HIDDEN, async (request, reply) =>
    signIn(request, reply, { ...Linked.parse(request.query), status: 302 }),
  );

  app.get('/sign-in', HIDDEN, async ({ db, query }, reply) => {
    const { token, next } = Linked.parse(query);
    if (token === '' && sendsMail) return html(reply, 200, askForMailPage(next));
    const member = await findLinkedMember(db, token);
    return member === undefined
      ? html(reply, 410, usedLinkPage({ sendsMail, next }))
      : html(reply, 200, signInPage({ ...member, token, next }));
  });

  app.post('/login-mail', HIDDEN, async (request, reply) => {
    assertSameSite(request, config);
    const { email, next } = AskedByMail.parse(request.body);
    if (!sendsMail) return html(reply, 409, noMailPage());
    if (email === null) return html(reply, 400, askForMailPage(next, 'This is no e-mail address.'));
    await limitLogins(rateLimits, { ip: request.ip, email }, reply);
    await requestLoginMail(request.db, email, next);
    return html(reply, 202, mailSentPage());
  });

  app.post('/sign-in', HIDDEN, async (request, reply) => {
    assertSameSite(request, config);
    return signIn(request, reply, { ...Linked.parse(request.body), status: 303 });
  });

  app.get('/dashboard', HIDDEN, async (_request, reply) => reply.redirect(`${basePath}${CONSOLE}`, 302));
};

const html = (reply: FastifyReply, status: number, page: string) => asPage(reply).code(status).send(page);
