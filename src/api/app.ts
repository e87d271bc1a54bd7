import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import underPressure from '@fastify/under-pressure';
import Fastify, { type FastifyBaseLogger, type FastifyReply, LogController } from 'fastify';
import {
  type FastifyPluginAsyncZod,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { ACTION_ROUTES } from '../actions/domain.routes.ts';
import { AI_ROUTES } from '../ai/domain.routes.ts';
import { ANALYTICS_ROUTES } from '../analytics/domain.routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { AUTOMATION_ROUTES } from '../automations/domain.routes.ts';
import { autopilotRoutes } from '../autopilot/routes.ts';
import { CONTACT_ROUTES } from '../contacts/domain.routes.ts';
import { CONVERSATION_ROUTES } from '../conversations/domain.routes.ts';
import { CRAWL_ROUTES } from '../crawl/domain.routes.ts';
import { CRM_ROUTES } from '../crm/domain.routes.ts';
import { CSAT_ROUTES } from '../csat/domain.routes.ts';
import { DELIVERY_ROUTES } from '../deliveries/domain.routes.ts';
import { sandboxRoutes } from '../deliveries/sandbox/routes.ts';
import { DESK_ROUTES } from '../desk/domain.routes.ts';
import { EVAL_ROUTES } from '../evals/domain.routes.ts';
import { exportRoutes } from '../exports/routes.ts';
import { newId } from '../ids.ts';
import { importActionRoutes, importRoutes } from '../imports/routes.ts';
import { INSIGHT_ROUTES } from '../insights/domain.routes.ts';
import { keyRoutes } from '../keys/routes.ts';
import { KNOWLEDGE_ROUTES } from '../knowledge/domain.routes.ts';
import { MCP_ROUTES } from '../mcp/domain.routes.ts';
import { mediaRoutes } from '../media/routes.ts';
import { usageRoutes } from '../models/budgets/routes.ts';
import { notificationRoutes } from '../notifications/routes.ts';
import { databaseCheck, temporalCheck } from '../operations/checks.ts';
import { addFigures } from '../operations/figures.ts';
import { createHealth } from '../operations/health.ts';
import { createMetrics, requestDurations } from '../operations/metrics.ts';
import { addQueueFigures } from '../operations/queue-figures.ts';
import { ORG_ROUTES } from '../orgs/domain.routes.ts';
import { OVERVIEW_ROUTES } from '../overview/domain.routes.ts';
import { PARTNER_ROUTES } from '../partners/domain.routes.ts';
import { PHONE_ROUTES } from '../phone-agents/domain.routes.ts';
import { sequenceRoutes } from '../sequences/routes.ts';
import { SIGN_IN_ROUTES } from '../sign-in/domain.routes.ts';
import { slaRoutes } from '../sla/routes.ts';
import { taggingRoutes } from '../tagging/routes.ts';
import { WEBHOOK_ROUTES } from '../webhooks/domain.routes.ts';
import { WIDGET_ROUTES } from '../widget/domain.routes.ts';
import type { Deps } from './deps.ts';
import { authenticate } from './edge/authenticate.ts';
import { closeConnections } from './edge/close-connections.ts';
import { compression } from './edge/documents/compression.ts';
import { docsRoutes } from './edge/documents/docs.routes.ts';
import { openapi } from './edge/documents/openapi.ts';
import { errorAnswer, handleErrors, sendError } from './edge/errors.ts';
import { idempotency } from './edge/idempotency.ts';
import { absentInput } from './edge/input/absent-input.ts';
import { jsonBody } from './edge/input/json-body.ts';
import { unknownRoutes } from './edge/input/refuse-unknown.ts';
import { measure, operations } from './edge/operations.ts';
import { consoleFileRoutes, consoleRoutes } from './edge/pages/console.routes.ts';
import { landingRoutes } from './edge/pages/landing.routes.ts';
import { robotsRoutes } from './edge/pages/robots.routes.ts';
import { rateLimit } from './edge/rate-limits.ts';
import { enforceWriteQuota } from './edge/write-quota.ts';
import './edge/request.ts';
import { refuseEncodings } from './edge/input/refuse-encodings.ts';
import { guardText } from './edge/input/text-guard.ts';
import { refuseUnknownFields } from './edge/input/unknown-fields.ts';
import { representations } from './edge/representations.ts';
import { securityHeaders } from './edge/security-headers.ts';
import { serverSentEvents } from './edge/server-sent-events.ts';
import { traces } from './edge/traces.ts';
import { operatorPageRoutes } from './operator/pages.routes.ts';
import { operatorRoutes } from './operator/routes.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
/** A request over its time ends at the next check. */
const REQUEST_CHECK_MS = 2_000;
const KEEP_ALIVE_MS = 72_000;
/** 255 characters, of up to nine characters each in a URL. */
const MAX_PARAM_LENGTH = 2304;
const LOAD_SAMPLE_MS = 4_000;
/** What pages of other origins may read: the widget's requests, its script and words, and files by their links. */
const PATHS_OF_PAGES =
  /^\/(?:backend\/widget\/|media\/|widget\.js(?:$|\?)|widget\/(?:panel\.js|[a-z]{2}\.json)(?:$|\?))/;
/** How long browsers may store the answer to a preflight: Chromium's maximum. */
const PREFLIGHT_TTL_SECONDS = 7_200;

const ROUTES: FastifyPluginAsyncZod<Deps>[] = [
  keyRoutes,
  ...ORG_ROUTES,
  auditRoutes,
  ...SIGN_IN_ROUTES,
  ...PARTNER_ROUTES,
  ...CONTACT_ROUTES,
  sequenceRoutes,
  ...ACTION_ROUTES,
  autopilotRoutes,
  ...PHONE_ROUTES,
  ...DESK_ROUTES,
  slaRoutes,
  ...CSAT_ROUTES,
  notificationRoutes,
  ...CONVERSATION_ROUTES,
  ...CRM_ROUTES,
  ...AUTOMATION_ROUTES,
  ...DELIVERY_ROUTES,
  ...KNOWLEDGE_ROUTES,
  ...CRAWL_ROUTES,
  ...AI_ROUTES,
  ...EVAL_ROUTES,
  taggingRoutes,
  usageRoutes,
  ...INSIGHT_ROUTES,
  mediaRoutes,
  exportRoutes,
  importRoutes,
  importActionRoutes,
  ...ANALYTICS_ROUTES,
  ...OVERVIEW_ROUTES,
  ...WIDGET_ROUTES,
  ...WEBHOOK_ROUTES,
  ...MCP_ROUTES,
  operatorRoutes,
  operatorPageRoutes,
];

/** Names a plugin. Otherwise Fastify searches all loaded modules for each name. */
const named = <Plugin extends (...args: never[]) => unknown>(plugin: Plugin): Plugin =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: plugin.name });

/** Creates the api with all its plugins and routes, not yet listening. Production and tests use the same app. */
export async function createApp(deps: Deps, logger: FastifyBaseLogger) {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { connectionsCheckingInterval: REQUEST_CHECK_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false, // what arrives by an open connection is answered, and the connection closed
    trustProxy: deps.config.TRUSTED_PROXIES.length > 0 ? deps.config.TRUSTED_PROXIES : false,
    genReqId: newId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) =>
      void sendError(request as never, reply as FastifyReply, errorAnswer(error.statusCode ?? 400, error.message)),
  }).withTypeProvider<ZodTypeProvider>();
  app.removeContentTypeParser('text/plain'); // JSON only: other content types get a 415
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  const health = createHealth({
    program: 'api',
    checks: { database: databaseCheck(deps.db), temporal: temporalCheck(deps.temporal) },
    required: ['database'], // what needs Temporal is accepted, and waits for it
  });
  const metrics = createMetrics({ program: 'api', health, pool: deps.pool });
  addFigures(metrics.registry, deps.db);
  addQueueFigures(metrics.registry, deps.temporal);
  app.addHook('onClose', async () => metrics.close());
  app.addHook('onRequest', async (_request, reply) => {
    if (health.isDraining()) reply.header('connection', 'close');
  });

  await app.register(handleErrors);
  await app.register(securityHeaders);
  await app.register(cors, {
    delegator: (request, done) =>
      done(null, { origin: PATHS_OF_PAGES.test(request.url), maxAge: PREFLIGHT_TTL_SECONDS }),
  });
  await app.register(underPressure, {
    maxEventLoopDelay: deps.maxEventLoopDelayMs,
    sampleInterval: LOAD_SAMPLE_MS, // a sample without one tick counts as an endless delay
    retryAfter: 5,
  });
  await app.register(measure, { durations: requestDurations(metrics.registry) });
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  await app.register(traces);
  await app.register(closeConnections, deps);
  await app.register(unknownRoutes);
  await app.register(cookie);
  await app.register(compression);
  await app.register(openapi, deps);
  await app.register(docsRoutes);
  await app.register(consoleRoutes);
  await app.register(authenticate, deps);
  await app.register(rateLimit, deps);
  await app.register(enforceWriteQuota, deps);
  await app.register(refuseEncodings);
  await app.register(jsonBody);
  await app.register(absentInput);
  await app.register(guardText);
  await app.register(refuseUnknownFields);
  await app.register(idempotency, deps);
  await app.register(representations);
  await app.register(serverSentEvents, deps);

  if (deps.config.OPS_PORT === undefined) await app.register(operations, { health, metrics });
  await app.register(named(landingRoutes), deps);
  await app.register(named(robotsRoutes), deps);
  await app.register(named(consoleFileRoutes));
  for (const routes of ROUTES) await app.register(named(routes), deps);
  if (deps.config.DEVELOPMENT) await app.register(named(sandboxRoutes));
  return Object.assign(app, { health, metrics });
}
