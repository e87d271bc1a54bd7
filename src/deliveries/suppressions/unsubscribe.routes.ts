import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { asPage } from '../../api/edge/pages/page-answers.ts';
import { notFound } from '../../errors.ts';
import { maskedAddress } from '../../html/masked-address.rules.ts';
import { escapeHtml, htmlPage } from '../../html/page.rules.ts';
import { createUnsubscribeLinks } from '../ledger/delivery-links.ts';
import { getUnsubscribeTarget, unsubscribe } from './unsubscribing.service.ts';

const UnsubscribeParams = z.object({ token: z.string().min(1).max(255) });

/**
 * The public unsubscribe page. GET only shows a button, as mail scanners follow links. POST unsubscribes, by the button
 * or by a mail client's one-click request (RFC 8058). The address is masked, as a forwarded mail has the link too.
 */
export const unsubscribeRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, mediaLinks }) => {
  const links = createUnsubscribeLinks(config.signingSecrets, config.PUBLIC_URL);
  const schema = { params: UnsubscribeParams, hide: true };

  app.addContentTypeParser(['application/x-www-form-urlencoded', 'multipart/form-data'], (_request, payload, done) => {
    payload.resume();
    payload.on('end', () => done(null, undefined));
    payload.on('error', done);
  });

  app.get('/u/:token', { config: { scope: 'public', limitedBy: 'address' }, schema }, async ({ db, params }, reply) => {
    const ref = links.read(params.token);
    if (ref === undefined) throw notFound('unsubscribe link');
    const { to, brand } = await getUnsubscribeTarget(db, mediaLinks, ref);
    asPage(reply, brand);
    const who = `<p>Stop mail from <strong>${escapeHtml(brand.name)}</strong> to <strong>${escapeHtml(maskedAddress(to))}</strong>?</p>`;
    return htmlPage(
      'Unsubscribe',
      `${who}<form method="post"><button type="submit">Unsubscribe</button></form>`,
      'en',
      brand,
    );
  });

  app.post(
    '/u/:token',
    { config: { scope: 'public', limitedBy: 'address' }, schema },
    async ({ db, params }, reply) => {
      const ref = links.read(params.token);
      if (ref === undefined) throw notFound('unsubscribe link');
      const brand = await unsubscribe(db, mediaLinks, ref);
      asPage(reply, brand);
      return htmlPage('Unsubscribed', '<p>You will get no more of this mail.</p>', 'en', brand);
    },
  );
};
