import { createSignatures, type SigningSecrets } from '../../signatures.ts';
import type { CallbackProvider } from './schema.ts';

const TOKEN_BYTES = 24;

export interface CallbackUrls {
  /** Returns the URL for a provider's callbacks about an org. */
  urlOf(provider: CallbackProvider, orgId: string): string;
  /** Whether a URL is one for a provider's callbacks about an org, by any of the accepted secrets. */
  isUrl(provider: CallbackProvider, orgId: string, url: string): boolean;
  isToken(provider: CallbackProvider, orgId: string, token: string): boolean;
  /** Returns our secrets for signatures of callbacks, used if the org has set none. The first one is the present one. */
  secretsOf(provider: CallbackProvider, orgId: string): [string, ...string[]];
  /** Returns what callbacks of a connected voice platform may carry: its own secret, or else ours. The first one is the present one. */
  voiceSecretsOf(orgId: string, connection: { webhook_secret?: string | undefined }): [string, ...string[]];
}

/** Creates unguessable URLs for callbacks: each is bound to its provider and org by a signature. */
export function createCallbackUrls(signingSecrets: SigningSecrets, publicUrl: string): CallbackUrls {
  const tokens = createSignatures(signingSecrets, 'callback tokens', TOKEN_BYTES);
  const secrets = createSignatures(signingSecrets, 'callback secrets', TOKEN_BYTES);
  const signedOf = (provider: CallbackProvider, orgId: string) => `${provider} ${orgId}`;

  const urlWith = (provider: CallbackProvider, orgId: string, token: Buffer) =>
    `${publicUrl}/callbacks/${provider}/${orgId}/${token.toString('base64url')}`;

  const secretsOf = (provider: CallbackProvider, orgId: string): [string, ...string[]] => {
    const [first, ...others] = secrets.allOf(signedOf(provider, orgId));
    return [first.toString('base64url'), ...others.map((secret) => secret.toString('base64url'))];
  };

  return {
    urlOf: (provider, orgId) => urlWith(provider, orgId, tokens.sign(signedOf(provider, orgId))),
    isUrl: (provider, orgId, url) =>
      tokens.allOf(signedOf(provider, orgId)).some((token) => urlWith(provider, orgId, token) === url),
    isToken: (provider, orgId, token) => tokens.isValid(signedOf(provider, orgId), Buffer.from(token, 'base64url')),
    secretsOf,
    voiceSecretsOf: (orgId, { webhook_secret }) =>
      webhook_secret === undefined ? secretsOf('vapi', orgId) : [webhook_secret],
  };
}
