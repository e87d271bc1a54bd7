import diagnostics from 'node:diagnostics_channel';
import { readdirSync } from 'node:fs';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { SignJWT } from 'jose';
import { revokeKeyAsOperator } from '../../src/keys/service.ts';
import { KeyScope } from '../../src/schemas/scopes.ts';
import { type Answer, startApi, type TestApi } from '../support/stack/api.ts';
import { type Document, type Operation, pathTo, readDocument } from './document.ts';
import { call } from './filling.ts';
import { NOWHERE } from './nowhere.ts';
import { inParallel } from './parallel.ts';

const LANGUAGES = new URL('../../embed/languages/', import.meta.url);

/** Public routes outside of the document: pages for people, and routes for the operator. */
const PUBLIC_ROUTES = [
  'GET /',
  'GET /favicon.ico',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/',
  'GET /docs/js/scalar.js',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /partner-login',
  'GET /dashboard',
  'GET /console',
  'GET /console/*',
  'GET /sign-in',
  'POST /sign-in',
  'GET /robots.txt',
  'POST /help/:orgId/*',
  'GET /help/:orgId',
  'GET /help/:orgId/*',
  'GET /media/:token',
  'GET /a/:token',
  'POST /a/:token',
  'GET /csat/:token',
  'POST /csat/:token',
  'POST /backend/widget/v2/confirmations/:confirmationId',
  'GET /hooks/forms/:workflow_id/:token',
  'GET /u/:token',
  'POST /u/:token',
  'POST /callbacks/:provider/:orgId/:token',
  'GET /callbacks/meta/:orgId/:token',
  'POST /crm/webhook',
  'POST /crm/webhook/:orgId/:token',
  'GET /widget.js',
  'GET /widget/panel.js',
  ...readdirSync(LANGUAGES).map((name) => `GET /widget/${name}`),
  // Routes of the chat widget. It identifies callers by its own tokens: test/widget/impersonation.test.ts.
  'GET /backend/widget/v2/config',
  'GET /backend/widget/v2/poll/:sessionId',
  'GET /backend/widget/v2/session/history/:sessionId',
  'GET /backend/widget/v2/sessions',
  'POST /backend/widget/v2/action/execute',
  'POST /backend/widget/v2/chat/send',
  'POST /backend/widget/v2/chat/vote',
  'POST /backend/widget/v2/checkpoint',
  'POST /backend/widget/v2/contact/create-unverified',
  'POST /backend/widget/v2/create-session',
  'POST /backend/widget/v2/read',
  'POST /backend/widget/v2/session/handoff',
  'POST /backend/widget/v2/session/resolve',
  'POST /backend/widget/v2/submit-csat',
  'POST /backend/widget/v2/typing',
  'POST /backend/widget/v2/upload',
  'POST /login-mail',
];
/** They need a key, and speak another protocol than the document describes: test/mcp/mcp.test.ts. */
const ASSISTANT_ROUTES = ['GET /mcp', 'POST /mcp', 'DELETE /mcp'];
/** Of the operator, who has a document apart: test/operations/operator.test.ts. */
const OPERATOR_ROUTES = [
  'GET /operator/openapi.json',
  'GET /operator/sign-in',
  'POST /operator/sign-in',
  'GET /operator/v1/state',
  'GET /operator/v1/orgs',
  'GET /operator/v1/outbox',
  'GET /operator/v1/parked',
  'GET /operator/v1/actions',
  'POST /operator/v1/parked/:id/release',
  'GET /operator/v1/queues',
  'GET /operator/v1/providers',
  'GET /operator/v1/incidents',
  'GET /operator/v1/limits',
  'POST /operator/v1/reconcile',
  'PUT /operator/v1/sending',
  'POST /operator/v1/logout',
];
const SOME_ID = '00000000-0000-4000-8000-000000000000';

let api: TestApi;
let document: Document;
let routes: RouteOptions[];

beforeAll(async () => {
  routes = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  diagnostics.subscribe('fastify.initialization', watch);
  api = await startApi({
    deps: {
      checkIntegration: async () => ({ connected: false, message: 'not tried' }),
      dns: { resolveTxt: async () => [] },
      fareHarbor: { baseUrl: 'http://127.0.0.1:9', check: async () => 'refused' },
      egress: NOWHERE,
      maxWaitMs: 10,
    },
  });
  diagnostics.unsubscribe('fastify.initialization', watch);
  document = readDocument((await api.client().get('/openapi.json')).body);
});

afterAll(() => api.close());

describe('every route of the running API', () => {
  it('is either documented or listed as public', () => {
    const documented = document.operations.map(({ name }) => name.replaceAll(/\{(\w+)\}/g, ':$1'));
    const running = routes.flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url}`));
    expect(running.length).toBeGreaterThan(documented.length);
    const unknown = running.filter((route) => !/^(HEAD|OPTIONS) /.test(route) && !documented.includes(route));
    expect([...new Set(unknown)].sort()).toEqual([...PUBLIC_ROUTES, ...ASSISTANT_ROUTES, ...OPERATOR_ROUTES].sort());
  });

  it('documents the key that it requires', () => {
    for (const operation of document.operations) {
      const route = routes.find(
        ({ method, url }) => `${method} ${url}` === operation.name.replaceAll(/\{(\w+)\}/g, ':$1'),
      );
      const scope = route?.config?.scope;
      const documented = operation.key === 'org' ? (operation.scope ?? 'any') : operation.key;
      expect(`${operation.name} ${documented}`).toBe(`${operation.name} ${scope === 'public' ? 'none' : scope}`);
    }
  });

  it('is closed to HEAD like to GET', async () => {
    const closed = document.operations.filter(({ method, key }) => method === 'GET' && key !== 'none');
    const wrong = await inParallel(closed, async (operation) => {
      const { status } = await fetch(api.url + pathTo(operation, someIds(operation)), { method: 'HEAD' });
      return status === 401 || status === 404 ? undefined : `HEAD ${operation.path} answers ${status}`;
    });
    expect(wrong).toEqual([]);
  });
});

describe('an unknown path or method', () => {
  it('is answered with 404, or with 405 and the allowed methods', async () => {
    const unknown = await api.org.get('/no/such/path');
    expect(unknown).toMatchObject({ status: 404, body: { statusCode: 404, message: 'There is no GET /no/such/path' } });
    expect(unknown.headers.get('x-request-id')).not.toBeNull();

    for (const operation of document.operations) {
      const response = await fetch(api.url + pathTo(operation, someIds(operation)), { method: 'PROPFIND' });
      const here = document.operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
      expect(`${operation.path} ${response.status}`).toBe(`${operation.path} 405`);
      expect(response.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(here));
      expect(await response.json()).toMatchObject({ statusCode: 405, error: 'Method Not Allowed' });
    }
    expect((await fetch(`${api.url}/org`, { method: 'POST' })).status).toBe(405);
    expect((await api.org.post('/contacts/search/more', {})).status).toBe(404);
  });
});

describe('every route that requires a key', () => {
  it('answers 401 without one, in the documented format', () => {
    return expectAll(async (operation) => expectRefusal(await reach(operation), 401, /Bearer/));
  });

  it('answers 401 to the other kind of key', () => {
    return expectAll(async (operation) => {
      const key = operation.key === 'partner' ? api.org.key : api.partner.key;
      return expectRefusal(await reach(operation, key), 401, /not valid or was revoked/);
    });
  });

  it('answers 401 to a revoked key within a second', async () => {
    const org = await api.org.withScopes(...KeyScope.options);
    const partner = await api.createPartner();
    await Promise.all([api.client(org.key).get('/org'), partner.get('/partner/v1/orgs')]);
    await revokeKeyAsOperator(api.db, org.keyId);
    await revokeKeyAsOperator(api.db, partner.keyId);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await expectAll(async (operation) => {
      const key = operation.key === 'partner' ? partner.key : org.key;
      return expectRefusal(await reach(operation, key), 401, /not valid or was revoked/);
    });
  });

  it('answers 401 to forged keys', async () => {
    const [header = '', payload = '', signature = ''] = api.org.key.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const encoded = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url');
    const signed = (typ: string, secret: string, change: object = {}) =>
      new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: 'HS256', typ }).sign(Buffer.from(secret));
    const madeUp = [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${encoded({ alg: 'none', typ: 'org-key+jwt' })}.${payload}.`,
      `${encoded({ alg: 'none' })}.${payload}.${signature}`,
      `${header}.${encoded({ ...claims, sub: api.other.id })}.${signature}`,
      await signed('org-key+jwt', 'another secret, which is long enough too'),
      await signed('JWT', api.config.JWT_SECRET),
      await signed('partner-key+jwt', api.config.JWT_SECRET),
      await signed('org-key+jwt', api.config.JWT_SECRET, { aud: 'partner-api' }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { iss: 'somebody' }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { exp: 1 }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { sub: api.other.id }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { jti: SOME_ID }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { jti: 'no-uuid' }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { sub: "' or true --" }),
      await signed('org-key+jwt', api.config.JWT_SECRET, { jti: 7, sub: [api.org.id] }),
      'null',
      'a'.repeat(8_000),
      '{}',
    ];
    for (const token of madeUp) {
      const { status, body } = await api.client(token).get('/org');
      expect(`${token.slice(0, 300)}: ${status} ${body.message}`).toMatch(/: 401 /);
    }
    expect((await api.client(await signed('org-key+jwt', api.config.JWT_SECRET)).get('/org')).status).toBe(200);
  });
});

describe('every route with a scope', () => {
  it('answers 403, naming the scope, to a key with all other scopes', async () => {
    const keys = new Map<string, string>();
    for (const scope of scopesInUse()) {
      const others = KeyScope.options.filter((other) => other !== scope);
      keys.set(scope, (await api.org.withScopes(...others)).key);
    }
    await expectAll(async (operation) => {
      if (operation.scope === undefined) return undefined;
      const answer = await reach(operation, keys.get(operation.scope));
      return expectRefusal(answer, 403, new RegExp(`^Missing required scope: ${operation.scope}$`));
    });
  });

  it('accepts a key with only this scope', async () => {
    const keys = new Map<string, string>();
    for (const scope of scopesInUse()) keys.set(scope, (await api.org.withScopes(scope)).key);
    await expectAll(async (operation) => {
      if (operation.scope === undefined) return undefined;
      const { status, body } = await reach(operation, keys.get(operation.scope));
      if (
        status === 403 &&
        /cannot grant scopes that it does not have|Only a member who is signed in can do this/.test(body.message)
      )
        return undefined;
      if (body.code === 'provider_away') return undefined; // it has passed
      return status === 401 || status === 403 || status >= 500 ? `${status} ${body.message}` : undefined;
    });
  });
});

const scopesInUse = () => new Set(document.operations.flatMap(({ scope }) => scope ?? []));

const someIds = ({ pathParameters }: Operation) =>
  Object.fromEntries(pathParameters.map(({ name, schema }) => [name, String(schema.enum?.[0] ?? SOME_ID)]));

const reach = (operation: Operation, key?: string): Promise<Answer> =>
  call(api.client(key), operation, pathTo(operation, someIds(operation)), document.bodiesOf(operation)[0]);

async function expectAll(check: (operation: Operation) => Promise<string | undefined>): Promise<void> {
  const closed = document.operations.filter(({ key }) => key !== 'none');
  expect(closed.length).toBeGreaterThan(50);
  const wrong = await inParallel(closed, async (operation) => {
    const problem = await check(operation);
    return problem === undefined ? undefined : `${operation.name}: ${problem}`;
  });
  expect(wrong).toEqual([]);
}

function expectRefusal({ status, body }: Answer, expected: number, message: RegExp): string | undefined {
  const isAsDocumented = body.statusCode === expected && typeof body.error === 'string' && message.test(body.message);
  return status === expected && isAsDocumented ? undefined : `answers ${status} ${JSON.stringify(body).slice(0, 200)}`;
}
