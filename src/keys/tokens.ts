import { errors, jwtVerify, SignJWT } from 'jose';
import { validate } from 'uuid';

/** What a token is for. Each has its own `typ` and `aud`, so that none passes for another. */
export type TokenKind = 'org' | 'partner';

export interface TokenClaims {
  /** The key's id (`jti`). */
  keyId: string;
  /** The org or partner it belongs to (`sub`). */
  ownerId: string;
}

const ISSUER = 'switchboard';
const ALGORITHM = 'HS256';
const typeOf = (kind: TokenKind) => `${kind}-key+jwt`;
const audienceOf = (kind: TokenKind) => `${kind}-api`;

export interface Tokens {
  sign(kind: TokenKind, claims: TokenClaims): Promise<string>;
  /** The claims, or undefined when the token is not one of ours of that kind. */
  verify(kind: TokenKind, token: string): Promise<TokenClaims | undefined>;
}

/** Signs and checks keys as JWTs (RFC 7519) with HMAC-SHA256. */
export function createTokens(secret: string): Tokens {
  const key = new TextEncoder().encode(secret);
  return {
    sign: (kind, { keyId, ownerId }) =>
      new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: typeOf(kind) })
        .setIssuer(ISSUER)
        .setAudience(audienceOf(kind))
        .setSubject(ownerId)
        .setJti(keyId)
        .setIssuedAt()
        .sign(key),
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
