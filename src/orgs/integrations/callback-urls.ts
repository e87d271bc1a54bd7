import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { CallbackProvider } from './schema.ts';

const TOKEN_BYTES = 24;

export interface CallbackUrls {
  /** Returns the URL for a provider's callbacks about an org. */
  urlOf(provider: CallbackProvider, orgId: string): string;
  isToken(provider: CallbackProvider, orgId: string, token: string): boolean;
  /** Returns our secret for signatures of callbacks, used if the org has set none. */
  secretOf(provider: CallbackProvider, orgId: string): string;
}

/** Creates unguessable URLs for callbacks: each is bound to its provider and org by HMAC-SHA256. */
export function createCallbackUrls(secret: string, publicUrl: string): CallbackUrls {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  const [tokenKey, secretKey] = [keyFor('callback tokens'), keyFor('callback secrets')];
  const macOf = (key: Buffer, provider: CallbackProvider, orgId: string) =>
    createHmac('sha256', key).update(`${provider} ${orgId}`).digest().subarray(0, TOKEN_BYTES);
  const tokenOf = (provider: CallbackProvider, orgId: string) => macOf(tokenKey, provider, orgId);

  return {
    urlOf: (provider, orgId) =>
      `${publicUrl}/callbacks/${provider}/${orgId}/${tokenOf(provider, orgId).toString('base64url')}`,
    isToken(provider, orgId, token) {
      const given = Buffer.from(token, 'base64url');
      return given.length === TOKEN_BYTES && timingSafeEqual(given, tokenOf(provider, orgId));
    },
    secretOf: (provider, orgId) => macOf(secretKey, provider, orgId).toString('base64url'),
  };
}
