import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { escapeHtml, htmlPage } from '../../html/page.rules.ts';
import { findOperatorLink, signInOperator } from '../../operations/operator/access.service.ts';
import { operatorCookieOf } from '../../sign-in/cookies.ts';
import { hashOf } from '../../sign-in/tokens.ts';
import type { Deps } from '../deps.ts';
import { asPage } from '../edge/pages/page-answers.ts';
import { assertSameSite } from '../edge/same-site.ts';

const MAX_FORM_BYTES = 1_024;
const PATH = '/operator/sign-in';
const HIDDEN = {
  schema: { hide: true },
  config: { scope: 'public', limitedBy: 'address' },
  exposeHeadRoute: false,
} as const;
const Linked = z.object({ token: z.string().max(100).catch('') }).catch({ token: '' });

const signInPage = (name: string, token: string) =>
  htmlPage(
    'Sign in as the operator',
    `<p>You will see the whole installation as <strong>${escapeHtml(name)}</strong>, for 12 hours.</p>
<form method="post" action="sign-in"><input type="hidden" name="token" value="${escapeHtml(token)}"><button type="submit">Sign in</button></form>`,
  );

const usedPage = htmlPage(
  'This link is no longer valid',
  '<p>A link works once, within 15 minutes. Make a new one by <code>npm run cli -- operator login</code>.</p>',
);

/** The pages behind the operator's link. */
export const operatorPageRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const basePath = new URL(config.dashboardUrl).pathname.replace(/\/$/, '');
  const cookie = operatorCookieOf(config);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );

  app.get(PATH, HIDDEN, async ({ db, query }, reply) => {
    const { token } = Linked.parse(query);
    const link = await findOperatorLink(db, hashOf(token));
    return link === undefined ? html(reply, 410, usedPage) : html(reply, 200, signInPage(link.name, token));
  });

  app.post(PATH, HIDDEN, async (request, reply) => {
    assertSameSite(request, config);
    const session = await signInOperator(request.db, Linked.parse(request.body).token);
    if (session === undefined) return html(reply, 410, usedPage);
    reply.setCookie(cookie.name, session, cookie.options);
    return reply.header('cache-control', 'no-store').redirect(`${basePath}/console/operator`, 303);
  });
};

const html = (reply: FastifyReply, status: number, page: string) => asPage(reply).code(status).send(page);
