import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import { forbidden, unauthorized } from '../../errors.ts';
import type { KeyVerifier, OrgPrincipal } from '../../keys/verifier.ts';
import { runAsWork, setCountry, setOwner } from '../../processes/current-work.ts';
import { hasScope } from '../../schemas/scopes.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from './rate-limits.ts';

/**
 * Authenticates the caller by Bearer token (RFC 6750) and checks the route's scope. Refuses to register a route without
 * a scope, or a public one without a limit.
 */
export const authenticate = fastifyPlugin(async (app: FastifyInstance, { db, keys }: Deps) => {
  app.decorateRequest('db', null, []);
  app.decorateRequest('org', null, []);
  app.decorateRequest('partner', null, []);

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope === undefined) throw new Error(`${String(method)} ${url} declares no scope`);
    if (config.scope === 'public' && config.limitedBy === undefined)
      throw new Error(`${String(method)} ${url} declares no limit`);
  });

  app.addHook('onRequest', (_request, _reply, done) => runAsWork(done));

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
      return;
    }

    request.org = await authenticateOrg(keys, request);
    setOwner(request.org.id);
    setCountry(request.org.country);
  });
});

/**
 * Returns the calling org. Throws unauthorized if its key is invalid or has ended, and forbidden if the key lacks the
 * route's scope.
 */
export async function authenticateOrg(keys: KeyVerifier, request: FastifyRequest): Promise<OrgPrincipal> {
  const { scope } = request.routeOptions.config;
  const org = await keys.org(bearerToken(request));
  if (org === undefined) throw unauthorized('The API key is not valid or was revoked');
  if (scope !== undefined && scope !== 'any' && !hasScope(org, scope)) {
    throw forbidden(`Missing required scope: ${scope}`);
  }
  return org;
}

function bearerToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  if (authorization === undefined) throw unauthorized('Send the API key as "Authorization: Bearer <key>"');
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
