import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { enforce } from '../api/edge/rate-limits.ts';
import { lockOfKey } from '../api/edge/stored-answers.ts';
import { createSlots } from '../concurrency/slots.ts';
import { isNameLocked } from '../db/locks.ts';
import { forbidden } from '../errors.ts';
import { performAs } from './perform.ts';

const MAX_BODY_BYTES = 256 * 1_024;
const INVALID_REQUEST = -32_600;
/** Calls under way in this process. */
const CALLS_AT_ONCE = { total: 100, perOrg: 4, what: 'calls of assistants' };
const ROUTE = {
  schema: { hide: true },
  config: { scope: 'any', isRepeatable: true, takesUnknownFields: true },
  bodyLimit: MAX_BODY_BYTES,
} as const;

/** The Model Context Protocol over HTTP, for the assistants of people who have an API key. */
export const mcpRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config, rateLimits }) => {
  const slots = createSlots(CALLS_AT_ONCE);
  const { PUBLIC_URL, dashboardUrl } = config;
  const origins = [PUBLIC_URL, dashboardUrl].map((url) => new URL(url).origin);

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { org, db, id: requestId, headers, body, method } = request;
    if (org.member !== undefined) throw forbidden('Send an API key: a session of the console is for people');
    if (headers.origin !== undefined && !origins.includes(headers.origin))
      throw forbidden(`Pages of ${headers.origin} may not call this`);
    if (Array.isArray(body)) return reply.code(400).send(refusedBatch());
    // Loaded by the first request: most processes never need it.
    const [{ createMcpHandler }, { createMcpServer }, { createQuestionStates }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./server.service.ts'),
      import('./confirmations/questions.service.ts'),
    ]);
    const perform = performAs(app, request);
    const limited = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      await enforce(rateLimits, 'assistant', org.keyId);
      return slots.use(org.keyId, work);
    };
    const confirmationsUrl = `${dashboardUrl}/console/assistants`;
    const questionStates = createQuestionStates(config.signingSecrets, org.keyId);
    const isRunning = (key: string) => isNameLocked(db, lockOfKey(org.id, key));
    const caller = { db, org, perform, isRunning, limited, requestId, confirmationsUrl, questionStates };
    const handler = createMcpHandler(() => createMcpServer(caller));
    const given = new Request(new URL(request.url, PUBLIC_URL), {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      ...(method === 'POST' && { body: JSON.stringify(body ?? null) }),
    });
    const authInfo = { token: org.keyId, clientId: org.id, scopes: [...(org.scopes ?? [])] };
    return handler.fetch(given, { authInfo, parsedBody: body });
  };

  app.post('/mcp', ROUTE, answer);
  app.get('/mcp', ROUTE, answer);
  app.delete('/mcp', ROUTE, answer);
};

/** One request that makes many calls would pass the limits, which count requests. */
const refusedBatch = () => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: INVALID_REQUEST, message: 'An array of requests is not taken: send one request at a time' },
});
