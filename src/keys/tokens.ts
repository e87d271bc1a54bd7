import { errors, jwtVerify, SignJWT } from 'jose';
import { validate } from 'uuid';
import type { SigningSecrets } from '../signatures.ts';

/** The purpose of a token. Each kind has its own `typ` and `aud`, so no kind is accepted as another. */
export type TokenKind = 'org' | 'partner' | 'contact';

export interface TokenClaims {
  /** The key's id, or the visitor's id in a token of a contact (`jti`). */
  keyId: string;
  /** The owning org or partner, or the org in a token of a contact (`sub`). */
  ownerId: string;
}

const ISSUER = 'switchboard';
const ALGORITHM = 'HS256';
const typeOf = (kind: TokenKind) => `${kind}-key+jwt`;
const audienceOf = (kind: TokenKind) => `${kind}-api`;

export interface Tokens {
  /** Signs a token. `lifetime` is a span such as `30 days`. Without one the token is valid until its key is revoked. */
  sign(kind: TokenKind, claims: TokenClaims, lifetime?: string): Promise<string>;
  /** Returns the claims, or undefined if the token is not one of ours of this kind. */
  verify(kind: TokenKind, token: string): Promise<TokenClaims | undefined>;
}

/** Signs and verifies keys as JWTs (RFC 7519) with HMAC-SHA256. */
export function createTokens([first, ...others]: SigningSecrets): Tokens {
  const keyOf = (secret: string) => new TextEncoder().encode(secret);
  const signingKey = keyOf(first);
  const keys = [signingKey, ...others.map(keyOf)];
  return {
    sign(kind, { keyId, ownerId }, lifetime) {
      const token = new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: typeOf(kind) })
        .setIssuer(ISSUER)
        .setAudience(audienceOf(kind))
        .setSubject(ownerId)
        .setJti(keyId)
        .setIssuedAt();
      return (lifetime === undefined ? token : token.setExpirationTime(lifetime)).sign(signingKey);
    },
    async verify(kind, token) {
      for (const key of keys) {
        const claims = await verifyBy(key, kind, token);
        if (claims !== undefined) return claims;
      }
      return undefined;
    },
  };
}

async function verifyBy(key: Uint8Array, kind: TokenKind, token: string): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      typ: typeOf(kind),
      issuer: ISSUER,
      audience: audienceOf(kind),
      requiredClaims: ['sub', 'jti'],
    });
    const { jti, sub } = payload;
    return isUuid(jti) && isUuid(sub) ? { keyId: jti, ownerId: sub } : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

const isUuid = (claim: unknown): claim is string => typeof claim === 'string' && validate(claim);
