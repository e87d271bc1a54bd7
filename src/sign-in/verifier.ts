import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import type { Db } from '../db/connect.ts';
import type { KeyVerifier, OrgPrincipal } from '../keys/verifier.ts';
import { type SessionCookie, sessionCookieOf } from './cookies.ts';
import { scopesOf, strongestOf } from './roles.ts';
import { extendSession, findSession } from './sessions.service.ts';
import { hashOf } from './tokens.ts';

const STATUS_TTL_MS = 800;
const MAX_CACHED_SESSIONS = 5_000;

export interface SessionVerifier {
  /** Returns the token of a session in the headers of a request. */
  tokenIn: SessionCookie['tokenIn'];
  /** Returns the member signed in by a session's token. `isUse` moves the session's end away. */
  member(sessionToken: string, isUse: boolean): Promise<OrgPrincipal | undefined>;
}

/** Resolves tokens of sessions to members. A session's state is read at most every 800 ms, and at once after a change. */
export function createSessionVerifier(
  db: Db,
  keys: Pick<KeyVerifier, 'onCleared'>,
  config: Pick<Config, 'PUBLIC_URL'>,
): SessionVerifier {
  const sessions = new LRUCache<string, Promise<OrgPrincipal | undefined>>({
    max: MAX_CACHED_SESSIONS,
    ttl: STATUS_TTL_MS,
  });
  keys.onCleared(() => sessions.clear());

  const read = async (sessionToken: string, isUse: boolean): Promise<OrgPrincipal | undefined> => {
    const session = await findSession(db, sessionToken);
    if (session === undefined) return undefined;
    if (isUse) await extendSession(db, sessionToken, session);
    const { id: keyId, org_id, user_id, name, country, roles, expires_at: expiresAt } = session;
    const role = strongestOf(roles);
    const member = { id: user_id, role, expiresAt };
    return { kind: 'org', id: org_id, keyId, name, scopes: scopesOf(role), country, member };
  };

  return {
    tokenIn: sessionCookieOf(config).tokenIn,
    member(sessionToken, isUse) {
      const place = hashOf(sessionToken).toString('base64url');
      const known = sessions.get(place);
      if (known !== undefined) return known;
      const found = read(sessionToken, isUse);
      sessions.set(place, found);
      found.catch(() => sessions.delete(place));
      return found;
    },
  };
}
