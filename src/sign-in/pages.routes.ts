import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { asPage, wantsPage } from '../api/edge/pages/page-answers.ts';
import { assertSameSite } from '../api/edge/same-site.ts';
import { sessionCookieOf } from './cookies.ts';
import { findLinkedMember } from './links.service.ts';
import { signedInPage, signedOutPage, signInPage, usedLinkPage } from './pages.ts';
import { endSession, findSession, isOfLink, signInByLink } from './sessions.service.ts';

const MAX_FORM_BYTES = 1_024;
const HIDDEN = {
  schema: { hide: true },
  config: { scope: 'public', limitedBy: 'address' },
  exposeHeadRoute: false,
} as const; // HEAD must not use up the link
const Linked = z.object({ token: z.string() }).catch({ token: '' });

interface Visit {
  token: string;
  /** Of the redirection once signed in. */
  status: 302 | 303;
}

/** The pages behind a login link. */
export const signInPageRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const dashboardPath = `${new URL(config.dashboardUrl).pathname.replace(/\/$/, '')}/dashboard`;
  const sessionCookie = sessionCookieOf(config);
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
  const signIn = async ({ db, cookies }: FastifyRequest, reply: FastifyReply, { token, status }: Visit) => {
    const former = sessionCookie.tokenIn(cookies);
    const sessionToken = await signInByLink(db, token, former);
    if (sessionToken !== undefined) {
      reply.setCookie(sessionCookie.name, sessionToken, sessionCookie.options);
      return reply.redirect(dashboardPath, status);
    }
    const session = former === undefined ? undefined : await findSession(db, former);
    if (session !== undefined && isOfLink(session, token)) return reply.redirect(dashboardPath, status);
    return html(reply, 410, usedLinkPage());
  };

  app.get('/partner-login', HIDDEN, async (request, reply) =>
    signIn(request, reply, { ...Linked.parse(request.query), status: 302 }),
  );

  app.get('/sign-in', HIDDEN, async ({ db, query }, reply) => {
    const { token } = Linked.parse(query);
    const member = await findLinkedMember(db, token);
    return member === undefined ? html(reply, 410, usedLinkPage()) : html(reply, 200, signInPage({ ...member, token }));
  });

  app.post('/sign-in', HIDDEN, async (request, reply) => {
    assertSameSite(request, config);
    return signIn(request, reply, { ...Linked.parse(request.body), status: 303 });
  });

  app.get('/dashboard', HIDDEN, async (request, reply) => {
    if (wantsPage(request)) return reply.redirect('/console', 302);
    const { db, cookies } = request;
    const sessionToken = sessionCookie.tokenIn(cookies);
    const signedIn = sessionToken === undefined ? undefined : await findSession(db, sessionToken);
    return signedIn === undefined ? html(reply, 401, signedOutPage()) : html(reply, 200, signedInPage(signedIn));
  });

  app.post('/sign-out', HIDDEN, async (request, reply) => {
    assertSameSite(request, config);
    const sessionToken = sessionCookie.tokenIn(request.cookies);
    if (sessionToken !== undefined) await endSession(request.db, sessionToken);
    reply.clearCookie(sessionCookie.name, sessionCookie.options);
    return reply.redirect(dashboardPath, 303);
  });
};

const html = (reply: FastifyReply, status: number, page: string) => asPage(reply).code(status).send(page);
