import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import { forbidden, missingScope, unauthorized } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { networkOf } from '../../networks.ts';
import {
  findOperatorByKey,
  findOperatorBySession,
  type OperatorPrincipal,
} from '../../operations/operator/access.service.ts';
import { runAsRequest, setActor, setAuditor, setCountry, setOrg, setOwner } from '../../processes/current-work.ts';
import type { Actor } from '../../schemas/actor.ts';
import { hasScope, type Scope } from '../../schemas/scopes.ts';
import { operatorCookieOf } from '../../sign-in/cookies.ts';
import type { Deps } from '../deps.ts';
import { assertSameSite } from './same-site.ts';

/**
 * Authenticates the caller by Bearer token (RFC 6750), or a member by the cookie of a session, and checks the route's
 * scope. Refuses to register a route without
 * a scope, or a public one without a limit.
 */
export const authenticate = fastifyPlugin(async (app: FastifyInstance, deps: Deps) => {
  const { db, keys } = deps;
  app.decorateRequest('db', null, []);
  app.decorateRequest('org', null, []);
  app.decorateRequest('partner', null, []);
  app.decorateRequest('operator', null, []);
  const operatorCookie = operatorCookieOf(deps.config);

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope === undefined) throw new Error(`${String(method)} ${url} declares no scope`);
    if (config.scope === 'public' && config.limitedBy === undefined)
      throw new Error(`${String(method)} ${url} declares no limit`);
  });

  app.addHook('onRequest', (request, _reply, done) => runAsRequest(request.id, done));

  app.addHook('onRequest', async (request) => {
    request.db = db;
    setOwner(networkOf(request.ip));
    const { scope } = request.routeOptions.config;
    if (scope === undefined || scope === 'public') return;

    if (scope === 'partner') {
      const partner = await keys.partner(bearerToken(request));
      if (partner === undefined) throw unauthorized('The partner API key is not valid or was revoked');
      if (!isAllowedFrom(partner.allowedIps, request.ip)) {
        throw forbidden(`Requests from ${request.ip} are not on this partner's IP allow list`);
      }
      request.partner = partner;
      setOwner(partner.id);
      setAuditor({ kind: 'partner', id: partner.id, name: partner.name });
      return;
    }

    if (scope === 'operator') {
      request.operator = await authenticateOperator(deps, request, operatorCookie.tokenIn(request.cookies));
      setOwner('operator');
      return;
    }

    request.org = await authenticateOrg(deps, request);
    setOrg(request.org.id);
    setCountry(request.org.country);
    const actor = actorOf(request.org);
    setActor(actor);
    if (maySetUp(request)) setAuditor(actor);
  });
});

/** Scopes of what happens all day and changes no settings: its statements are not sent with who acts. */
const OF_EVERY_DAY: readonly Scope[] = ['chat-sessions:write', 'contacts:write'];

/** Whether a request may change what the org has set up. The audit names who did. */
const maySetUp = ({ method, routeOptions: { config } }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  config.scope !== undefined &&
  (config.isSetUp === true || !OF_EVERY_DAY.includes(config.scope));

/**
 * Returns the calling org. Throws unauthorized if its key is invalid or its session has ended, and forbidden if the key
 * or the member's role lacks the route's scope. `isUse` counts as a use of the session.
 */
export async function authenticateOrg(deps: OrgDeps, request: FastifyRequest, isUse = true): Promise<OrgPrincipal> {
  const org = await identifyOrg(deps, request, isUse);
  const lacked = lackedScope(org, request.routeOptions.config);
  if (lacked !== undefined) throw missingScope(lacked);
  return org;
}

/** Returns the scope of a route that the caller lacks. */
export function lackedScope(org: OrgPrincipal, { scope, memberScope }: FastifyContextConfig): Scope | undefined {
  const needed = org.member === undefined ? scope : (memberScope ?? scope);
  return needed === undefined || needed === 'any' || hasScope(org, needed) ? undefined : needed;
}

const actorOf = ({ keyId, name, member }: OrgPrincipal): Actor =>
  member === undefined ? { kind: 'key', id: keyId, name } : { kind: 'member', id: member.id, name };

type OrgDeps = Pick<Deps, 'keys' | 'sessions' | 'config'>;

async function identifyOrg(
  { keys, sessions, config }: OrgDeps,
  request: FastifyRequest,
  isUse: boolean,
): Promise<OrgPrincipal> {
  const { headers, cookies } = request;
  const sessionToken = headers.authorization === undefined ? sessions.tokenIn(cookies) : undefined;
  if (sessionToken === undefined) {
    const org = await keys.org(bearerToken(request));
    if (org === undefined) throw unauthorized('The API key is not valid or was revoked');
    return org;
  }
  assertSameSite(request, config);
  const member = await sessions.member(sessionToken, isUse);
  if (member === undefined) throw unauthorized('You are not signed in any more: sign in again');
  return member;
}

/**
 * Returns the operator who calls, by a key or by the session in a cookie. Throws unauthorized, with the same text whatever
 * is wrong with a key.
 */
async function authenticateOperator(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  request: FastifyRequest,
  session: string | undefined,
): Promise<OperatorPrincipal> {
  if (request.headers.authorization !== undefined || session === undefined) {
    const operator = await findOperatorByKey(db, bearerToken(request));
    if (operator === undefined) throw unauthorized('The API key is not valid or was revoked');
    return operator;
  }
  assertSameSite(request, config);
  const operator = await findOperatorBySession(db, session);
  if (operator === undefined) throw unauthorized('You are not signed in any more: sign in again');
  return operator;
}

function bearerToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  if (authorization === undefined) throw unauthorized('Send the API key as "Authorization: Bearer <key>", or sign in');
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw unauthorized('The Authorization header must be "Bearer <key>"');
  return token;
}

/** Whether an address lies in one of the CIDRs. An empty list allows any address. */
function isAllowedFrom(cidrs: string[], address: string): boolean {
  if (cidrs.length === 0) return true;
  if (!ipaddr.isValid(address)) return false; // a proxy's header can contain anything
  const ip = ipaddr.process(address);
  return cidrs.some((cidr) => {
    const [network, bits] = parseNetwork(cidr);
    return network.kind() === ip.kind() && ip.match(network, bits);
  });
}

/** Returns the network of a CIDR. An IPv4 network may be written as IPv6: ::ffff:192.0.2.0/120 is 192.0.2.0/24. */
function parseNetwork(cidr: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96
    ? [network.toIPv4Address(), bits - 96]
    : [network, bits];
}
