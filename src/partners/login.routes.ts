import cookie from '@fastify/cookie';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { asPage } from '../api/edge/pages/page-answers.ts';
import { memberOf } from '../collections/records.ts';
import type { Config } from '../config.ts';
import { consumeLoginLink, findSignedIn, SESSION_TTL_MINUTES } from './login.service.ts';
import { signedInPage, signedOutPage, usedLinkPage } from './pages.ts';

const SESSION_COOKIE = 'switchboard_session';
const HIDDEN = {
  schema: { hide: true },
  config: { scope: 'public', limitedBy: 'address' },
  exposeHeadRoute: false,
} as const; // HEAD must not use up the link

/** The pages behind a login link. */
export const loginRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  await app.register(cookie);
  const dashboardPath = `${new URL(config.dashboardUrl).pathname.replace(/\/$/, '')}/dashboard`;
  const secure = !isPlainLoopback(config);

  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  app.get('/partner-login', HIDDEN, async ({ db, query }, reply) => {
    const token = memberOf(query, 'token');
    const sessionToken = typeof token === 'string' ? await consumeLoginLink(db, token) : undefined;
    if (sessionToken === undefined) return html(reply, 410, usedLinkPage());
    reply.setCookie(SESSION_COOKIE, sessionToken, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: SESSION_TTL_MINUTES * 60,
    });
    return reply.redirect(dashboardPath, 302);
  });

  app.get('/dashboard', HIDDEN, async ({ db, cookies }, reply) => {
    const sessionToken = cookies[SESSION_COOKIE];
    const signedIn = sessionToken === undefined ? undefined : await findSignedIn(db, sessionToken);
    return signedIn === undefined ? html(reply, 401, signedOutPage()) : html(reply, 200, signedInPage(signedIn));
  });
};

const html = (reply: FastifyReply, status: number, page: string) => asPage(reply).code(status).send(page);

/**
 * Returns whether the public URL is plain http on this machine. Browsers reject a Secure cookie over plain http, and
 * plain http is only for local development.
 */
function isPlainLoopback({ PUBLIC_URL }: Config): boolean {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  return protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'));
}
