import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { asPage } from '../../api/edge/pages/page-answers.ts';
import { decideByLink, type LinkPage, showLink } from './link.service.ts';
import { LinkDecision, LinkPath } from './schema.ts';

const config = { scope: 'public', limitedBy: 'address' } as const;
const MAX_FORM_BYTES = 1_024;

/**
 * The public page of a confirmation. GET only shows it, as previews and scanners follow links. POST decides, by one of the
 * page's two buttons.
 */
export const confirmationLinkRoutes: FastifyPluginAsyncZod<Deps> = async (app, { mediaLinks }) => {
  app.removeAllContentTypeParsers(); // JSON would take the last of two decisions
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, { decision: new URLSearchParams(String(body)).getAll('decision') }),
  );

  app.get('/a/:token', { config, schema: { params: LinkPath, hide: true } }, async ({ db, params }, reply) =>
    send(reply, await showLink(db, mediaLinks, params.token)),
  );

  app.post(
    '/a/:token',
    { config, schema: { params: LinkPath, body: LinkDecision, hide: true } },
    async ({ db, params: { token }, body }, reply) =>
      send(reply, await decideByLink(db, mediaLinks, { token, decision: body.decision[0] })),
  );
};

function send(reply: FastifyReply, { status, html, brand }: LinkPage): string {
  asPage(reply, brand).code(status);
  return html;
}
