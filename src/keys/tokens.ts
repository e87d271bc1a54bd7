import { errors, jwtVerify, SignJWT } from 'jose';
import { validate } from 'uuid';

/** What a token is for. Each has its own `typ` and `aud`, so that none passes for another. */
export type TokenKind = 'org' | 'partner' | 'contact';

export interface TokenClaims {
  /** The key's id, of a contact the visitor's (`jti`). */
  keyId: string;
  /** The org or partner it belongs to, of a contact the org (`sub`). */
  ownerId: string;
}

const ISSUER = 'switchboard';
const ALGORITHM = 'HS256';
const typeOf = (kind: TokenKind) => `${kind}-key+jwt`;
const audienceOf = (kind: TokenKind) => `${kind}-api`;

export interface Tokens {
  /** `lifetime` is a span such as `30 days`. Without one the token is good until its key is revoked. */
  sign(kind: TokenKind, claims: TokenClaims, lifetime?: string): Promise<string>;
  /** The claims, or undefined when the token is not one of ours of that kind. */
  verify(kind: TokenKind, token: string): Promise<TokenClaims | undefined>;
}

/** Signs and checks keys as JWTs (RFC 7519) with HMAC-SHA256. */
export function createTokens(secret: string): Tokens {
  const key = new TextEncoder().encode(secret);
  return {
    sign(kind, { keyId, ownerId }, lifetime) {
      const token = new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: typeOf(kind) })
        .setIssuer(ISSUER)
        .setAudience(audienceOf(kind))
        .setSubject(ownerId)
        .setJti(keyId)
        .setIssuedAt();
      return (lifetime === undefined ? token : token.setExpirationTime(lifetime)).sign(key);
    },
    async verify(kind, token) {
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
    },
  };
}

const isUuid = (claim: unknown): claim is string => typeof claim === 'string' && validate(claim);
