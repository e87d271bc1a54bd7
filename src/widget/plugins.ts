import type { FastifyError, FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Deps } from '../api/deps.ts';
import { answerTo, errorHeaders } from '../api/edge/errors.ts';
import { enforce } from '../api/edge/rate-limits.ts';
import type { Db } from '../db/connect.ts';
import { forbidden, unauthorized } from '../errors.ts';
import { networkOf } from '../networks.ts';
import { findWidgetOrg } from '../orgs/service.ts';
import { setActor, setOrg } from '../processes/current-work.ts';
import { CONTACT } from '../schemas/actor.ts';
import { isAllowedOrigin } from './origins.rules.ts';
import { getWidgetSettings } from './settings.service.ts';
import { findVisitorByToken, type Visitor } from './visitors.service.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The org of the calling widget. Set on every route of the widget. */
    widgetOrg: { id: string; name: string };
    /** The authenticated visitor. Set on every route behind `requireVisitor`. */
    visitor: Visitor;
  }
  interface FastifyContextConfig {
    /**
     * True for a route of the widget whose client shows the visitor the message of a failure answered with 200. On all
     * other routes the client takes a 200 for success.
     */
    showsFailures?: true;
  }
}

/** Client errors answered with their own status on every route. */
const PRESERVED_STATUSES = [401, 403, 404, 429];
const ERROR_CODES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_type',
  429: 'rate_limited',
  503: 'unavailable',
};

/**
 * Identifies the widget's org by X-Bot-Token, applies a rate limit per address, and answers errors in the widget's
 * format.
 */
export const widgetPlugin = fastifyPlugin(async (app: FastifyInstance, { db, rateLimits }: Deps) => {
  app.decorateRequest('widgetOrg', null, []);
  app.decorateRequest('visitor', null, []);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const token = request.headers['x-bot-token'];
    const org = typeof token === 'string' ? await findWidgetOrg(db, token) : undefined;
    const limit = request.method === 'POST' ? 'standard' : 'streaming'; // widgets poll, and many share an address
    await enforce(rateLimits, limit, `widget ${org?.id ?? 'of nobody'} ${networkOf(request.ip)}`, reply);
    if (org === undefined) throw unauthorized('Send the widget token of the organization as X-Bot-Token');
    request.widgetOrg = org;
    await assertPageAllowed(db, org.id, request.headers.origin);
    setOrg(org.id, networkOf(request.ip));
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode, message, issues } = answerTo(error);
    if (statusCode >= 500) request.log.error({ err: error }, 'request failed');
    reply.headers(errorHeaders(error, statusCode));
    const { showsFailures = false } = request.routeOptions.config;
    const isShown = showsFailures && statusCode < 500 && !PRESERVED_STATUSES.includes(statusCode);
    const code = ERROR_CODES[statusCode] ?? (statusCode < 500 ? 'refused' : 'internal_error');
    return reply
      .code(isShown ? 200 : statusCode)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send({ success: false, error: { code, message, ...(issues === undefined ? {} : { issues }) } });
  });
});

/** Throws forbidden for a page on which the org does not want its widget. */
async function assertPageAllowed(db: Db, orgId: string, origin: string | undefined): Promise<void> {
  if (origin === undefined) return;
  const { allowed_origins: allowed } = await getWidgetSettings(db, orgId);
  if (!isAllowedOrigin(origin, allowed))
    throw forbidden(`This widget is not for pages of ${origin}: add it to allowed_origins by PUT /widget/settings`);
}

/** Authenticates the visitor by the contact's token. */
export const requireVisitor = fastifyPlugin(async (app: FastifyInstance, { db, tokens }: Deps) => {
  app.addHook('onRequest', async (request) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) throw unauthorized('Send the contact’s token as "Authorization: Bearer <token>"');
    const visitor = await findVisitorByToken(db, tokens, request.widgetOrg.id, token);
    if (visitor === undefined) throw unauthorized('The contact’s token is not valid or has expired: get a new one');
    request.visitor = visitor;
    setActor(CONTACT);
  });
});
