import { LRUCache } from 'lru-cache';
import type { Db } from '../db/connect.ts';
import type { RoleName } from '../schemas/roles.ts';
import { findOrgKey, findPartnerKey, touchOrgKey } from './queries.ts';
import type { TokenClaims, TokenKind, Tokens } from './tokens.ts';

const STATUS_TTL_MS = 800;
const MAX_CACHED_TOKENS = 20_000;

export interface OrgPrincipal {
  kind: 'org';
  id: string;
  /** The id of the key, or of the session of a member who is signed in. */
  keyId: string;
  /** The name of the key or the member. */
  name: string;
  /** The scopes of the key or of the member's role, or null for full access. */
  scopes: ReadonlySet<string> | null;
  /** The org's country, if it is set. */
  country: string | null;
  /** Set for a member who is signed in by a cookie. */
  member?: MemberPrincipal;
}

export interface MemberPrincipal {
  id: number;
  role: RoleName;
  /** When the session ends without use. */
  expiresAt: Date;
}

export interface PartnerPrincipal {
  kind: 'partner';
  id: string;
  name: string;
  keyId: string;
  /** The CIDRs of the partner's networks. An empty list allows any address. */
  allowedIps: string[];
}

export interface KeyVerifier {
  org(token: string): Promise<OrgPrincipal | undefined>;
  partner(token: string): Promise<PartnerPrincipal | undefined>;
  /** Clears the cached state of keys, so that the next request reads it again. */
  clearCache(): void;
  /** Calls the listener after each `clearCache`. Returns the function that ends this. */
  onCleared(listener: () => void): () => void;
}

/**
 * Resolves tokens to their principals. The signature of a token is verified once. The state of its key is read at most
 * every 800 ms per process, and at once after `clearCache`.
 */
export function createKeyVerifier(db: Db, tokens: Tokens): KeyVerifier {
  const verified = new LRUCache<string, { claims: TokenClaims }>({ max: MAX_CACHED_TOKENS });
  const orgs = new LRUCache<string, Promise<OrgPrincipal | undefined>>({ max: MAX_CACHED_TOKENS, ttl: STATUS_TTL_MS });
  const partners = new LRUCache<string, Promise<PartnerPrincipal | undefined>>({
    max: MAX_CACHED_TOKENS,
    ttl: STATUS_TTL_MS,
  });

  const listeners = new Set<() => void>();

  const claimsOf = async (kind: TokenKind, token: string): Promise<TokenClaims | undefined> => {
    const cached = verified.get(kind + token);
    if (cached !== undefined) return cached.claims;
    const claims = await tokens.verify(kind, token);
    if (claims !== undefined) verified.set(kind + token, { claims });
    return claims;
  };

  const lookUp = <T>(
    cache: LRUCache<string, Promise<T>>,
    { ownerId, keyId }: TokenClaims,
    find: () => Promise<T>,
  ): Promise<T> => {
    const place = `${ownerId} ${keyId}`;
    const cached = cache.get(place);
    if (cached !== undefined) return cached;
    const found = find();
    cache.set(place, found);
    found.catch(() => cache.delete(place));
    return found;
  };

  return {
    async org(token) {
      const claims = await claimsOf('org', token);
      if (claims === undefined) return undefined;
      return lookUp(orgs, claims, async () => {
        const key = await findOrgKey(db, claims.ownerId, claims.keyId);
        if (key === undefined) return undefined;
        // A key is valid where its use cannot be written, as in a database that is read only for now.
        if (key.is_use_due) await touchOrgKey(db, key.org_id, key.id).catch(() => undefined);
        const scopes = key.scopes === null ? null : new Set(key.scopes);
        return { kind: 'org', id: key.org_id, keyId: key.id, name: key.name, scopes, country: key.country };
      });
    },
    async partner(token) {
      const claims = await claimsOf('partner', token);
      if (claims === undefined) return undefined;
      return lookUp(partners, claims, async () => {
        const key = await findPartnerKey(db, claims.ownerId, claims.keyId);
        if (key === undefined) return undefined;
        return {
          kind: 'partner',
          id: key.partner_id,
          name: key.partner_name,
          keyId: claims.keyId,
          allowedIps: key.allowed_ips,
        };
      });
    },
    clearCache() {
      orgs.clear();
      partners.clear();
      for (const listener of listeners) listener();
    },
    onCleared(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
