import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../../api/deps.ts';
import { enforce } from '../../../api/edge/rate-limits.ts';
import { assertSameSite } from '../../../api/edge/same-site.ts';
import { networkOf } from '../../../networks.ts';
import { setOrg } from '../../../processes/current-work.ts';
import { createSignatures, type SigningSecrets } from '../../../signatures.ts';
import { sendHelpPage } from '../pages.routes.ts';
import { answeredPage, missingPage, NOT_FOUND_PAGE } from '../pages.ts';
import { findHelpCenter, findShownArticle } from '../reading.service.ts';
import { FeedbackForm, FeedbackPath } from './schema.ts';
import { addAnswer, addComment } from './service.ts';

/** The longest sentence, with every character escaped. */
const MAX_FORM_BYTES = 16 * 1024;
const YEAR_SECONDS = 365 * 86_400;
const DIGEST_BYTES = 16;

/**
 * Takes the answers of readers, by the forms of an article's page. Nothing about a reader is stored: a cookie of the article,
 * the same for everybody, says that its reader has answered. A second answer is thanked for and not counted, and neither
 * is a third of one network in a day.
 */
export const helpFeedbackRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { config, mediaLinks, quota, rateLimits } = deps;
  const publicUrl = config.PUBLIC_URL;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, formOf(String(body))),
  );

  app.post(
    '/help/:orgId/*',
    {
      config: { scope: 'public', limitedBy: 'help' },
      schema: { params: FeedbackPath, body: FeedbackForm, hide: true },
    },
    async (request, reply) => {
      assertSameSite(request, config);
      const { db, params, body, cookies, ip } = request;
      const { orgId, '*': path } = params;
      reply.header('cache-control', 'no-store');
      const center = await findHelpCenter(db, { publicUrl, mediaLinks }, orgId);
      if (center === undefined) return sendHelpPage(reply, { isFound: false, html: NOT_FOUND_PAGE });
      const article = await findShownArticle(db, publicUrl, orgId, path);
      if (article === undefined) return sendHelpPage(reply, missingPage(center), center.brand);
      setOrg(orgId);
      quota.assertLeft(orgId);
      const counted = digestOfReader(config.signingSecrets, networkOf(ip), article.id);
      await enforce(rateLimits, 'feedback', counted, reply);
      const page = { ...center, url: article.url, title: article.title };
      const thank = (answerId?: string) => sendHelpPage(reply, answeredPage(page, answerId), center.brand);
      if ('comment' in body) {
        await addComment(db, orgId, { path, id: body.answer[0], comment: body.comment[0] });
        return thank();
      }
      const cookie = `answered_${article.id.replaceAll('-', '')}`;
      if (cookies[cookie] !== undefined) return thank();
      const { isAllowed } = await rateLimits.consume('counted-feedback', counted);
      if (!isAllowed) return thank();
      const { language } = center.center;
      const id = await addAnswer(db, orgId, { path, language, isHelpful: body.helpful[0] === 'yes' });
      const { pathname, protocol } = new URL(article.url);
      reply.setCookie(cookie, '1', {
        path: pathname,
        httpOnly: true,
        sameSite: 'strict',
        secure: protocol === 'https:',
        maxAge: YEAR_SECONDS,
      });
      return thank(id);
    },
  );
};

/** Returns the key that counts a network's readers of an article. It names nobody, and is another one each day. */
function digestOfReader(secrets: SigningSecrets, network: string, articleId: string): string {
  const day = new Date().toISOString().slice(0, 10);
  const { sign } = createSignatures(secrets, `readers on ${day}`, DIGEST_BYTES);
  return sign(`${network} ${articleId}`).toString('base64url');
}

/** Returns all values of the fields. Browsers send line breaks as two characters, and count them as one. */
function formOf(body: string): Record<string, string[]> {
  const form = new URLSearchParams(body);
  const values = ['helpful', 'answer', 'comment'].map((name) => [
    name,
    form.getAll(name).map((text) => text.replaceAll('\r\n', '\n')),
  ]);
  return Object.fromEntries(values.filter(([, given]) => given !== undefined && given.length > 0));
}
