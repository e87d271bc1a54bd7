import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import ipaddr from 'ipaddr.js';
import type { Deps } from '../deps.ts';
import { forbidden, unauthorized } from '../errors.ts';
import type { KeyVerifier, OrgPrincipal } from '../keys/verifier.ts';

/** Finds out who calls, by the Bearer token (RFC 6750), and whether the route is open to them. Refuses to register a route without a scope. */
export const authenticate = fastifyPlugin(async (app: FastifyInstance, { db, keys }: Deps) => {
  app.decorateRequest('db', null as never);
  app.decorateRequest('org', null as never);
  app.decorateRequest('partner', null as never);

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope === undefined) throw new Error(`${String(method)} ${url} states no scope`);
  });

  app.addHook('onRequest', async (request) => {
    request.db = db;
    const { scope } = request.routeOptions.config;
    if (scope === undefined || scope === 'public') return;

    if (scope === 'partner') {
      const partner = await keys.partner(bearerToken(request));
      if (partner === undefined) throw unauthorized('The partner API key is not valid or was revoked');
      if (!isAllowedFrom(partner.allowedIps, request.ip)) {
        throw forbidden(`Requests from ${request.ip} are not on this partner's IP allow list`);
      }
      request.partner = partner;
      return;
    }

    request.org = await authenticateOrg(keys, request);
  });
});

/** The org that calls. Throws unauthorized where its key is not valid or no longer, and forbidden where it lacks the route's scope. */
export async function authenticateOrg(keys: KeyVerifier, request: FastifyRequest): Promise<OrgPrincipal> {
  const { scope } = request.routeOptions.config;
  const org = await keys.org(bearerToken(request));
  if (org === undefined) throw unauthorized('The API key is not valid or was revoked');
  if (scope !== undefined && scope !== 'any' && org.scopes !== null && !org.scopes.has(scope)) {
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

/** Whether an address lies in one of the CIDRs. No list allows any address. */
function isAllowedFrom(cidrs: string[], address: string): boolean {
  if (cidrs.length === 0) return true;
  if (!ipaddr.isValid(address)) return false; // a proxy's header can hold anything
  const ip = ipaddr.process(address);
  return cidrs.some((cidr) => {
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return network.kind() === ip.kind() && ip.match(network, bits);
  });
}
