import { createPrivateKey, type KeyObject } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { z } from 'zod';
import { jsonOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';
import { failureOf, isSuccess, type SalesforceApi, unexpectedResponse } from './api.ts';
import type { AccessToken, Conversation, ConversationStore, SalesforceSettings } from './port.ts';

const ISSUER = 'switchboard';
const IDENTITY_SECONDS = 300;
/** A token is renewed before use if it expires within this time. */
const RENEWAL_MARGIN_MS = 120_000;
/** The assumed lifetime of a token without an expiry. */
const DEFAULT_LIFETIME_MS = 600_000;

const TokenResponse = z.object({ accessToken: z.string().min(1) });

export interface Tokens {
  /** Returns a token of a new guest, or of the session as a verified end user. It is not stored. */
  mint(sessionId: string): Promise<AccessToken>;
  /** Returns the conversation's token, renewed if it expires soon. */
  tokenOf(conversation: Conversation): Promise<AccessToken>;
  /** Replaces a refused token. Throws GuestExpired if the same end user can no longer get one. */
  renew(conversation: Conversation, refused: AccessToken): Promise<AccessToken>;
}

/** The conversation's guest has lost access: Salesforce does not extend a guest's token any further. */
export class GuestExpired extends CrmError {
  constructor() {
    super(
      'The conversation is closed to us: its guest’s token has ended. Settings with auth_key_id and private_key keep conversations longer',
      { transient: true, status: 401, areCredentialsRefused: true },
    );
    this.name = 'GuestExpired';
  }
}

/** Returns the request for an end user's token. Throws a CrmError if the key is invalid. */
export async function tokenRequestOf(settings: SalesforceSettings, endUser: string) {
  const { org_id, es_developer_name } = settings;
  const deployment = { orgId: org_id, esDeveloperName: es_developer_name, capabilitiesVersion: '1', platform: 'Web' };
  const signer = signerIn(settings);
  if (signer === undefined) return { path: '/authorization/unauthenticated/access-token', body: deployment };
  const customerIdentityToken = await identityToken(endUser, signer);
  return {
    path: '/authorization/authenticated/access-token',
    body: { ...deployment, authorizationType: 'JWT', customerIdentityToken },
    secret: customerIdentityToken,
  };
}

export function createTokens(wire: SalesforceApi, store: ConversationStore, settings: SalesforceSettings): Tokens {
  const isVerified = signerIn(settings) !== undefined;

  async function mint(sessionId: string): Promise<AccessToken> {
    const { path, body, secret } = await tokenRequestOf(settings, sessionId);
    const answer = await wire({ method: 'POST', path, body });
    if (!isSuccess(answer)) throw failureOf(answer, secret === undefined ? [] : [secret], { isAboutConnection: true });
    return read(answer);
  }

  /** Continues as the same guest. Salesforce may extend the guest's expiry. */
  async function continueAs({ token }: AccessToken): Promise<AccessToken> {
    const answer = await wire({ method: 'GET', path: '/authorization/continuation-access-token', token });
    if (answer.status === 401 || answer.status === 403) throw new GuestExpired();
    if (!isSuccess(answer)) throw failureOf(answer, [token]);
    return read(answer);
  }

  const another = (sessionId: string, token: AccessToken) => (isVerified ? mint(sessionId) : continueAs(token));

  return {
    mint,
    async tokenOf(conversation) {
      const { sessionId, token } = conversation;
      if (token === undefined) return store.replaceToken(conversation, await mint(sessionId));
      if (token.expiresAt.getTime() - Date.now() > RENEWAL_MARGIN_MS) return token;
      return store.replaceToken(conversation, await another(sessionId, token));
    },
    renew: async (conversation, refused) =>
      store.replaceToken({ ...conversation, token: refused }, await another(conversation.sessionId, refused)),
  };
}

const signerIn = ({ auth_key_id: kid, private_key: key }: SalesforceSettings) =>
  kid && key ? { kid, key } : undefined;

/** Signs a token identifying its holder as this end user, in the form of Salesforce's user verification. */
async function identityToken(endUser: string, { kid, key }: { kid: string; key: string }): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setIssuer(ISSUER)
    .setSubject(endUser)
    .setIssuedAt()
    .setExpirationTime(`${IDENTITY_SECONDS} seconds`)
    .sign(readKey(key));
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The error below omits the key.
  }
  throw new CrmError('private_key is not a private RSA key in PEM form', {
    transient: true,
    areCredentialsRefused: true,
  });
}

function read(answer: Parameters<typeof jsonOf>[0]): AccessToken {
  const content = TokenResponse.safeParse(jsonOf(answer));
  if (!content.success) throw unexpectedResponse(answer);
  const { accessToken: token } = content.data;
  return { token, expiresAt: new Date(endOf(token) ?? Date.now() + DEFAULT_LIFETIME_MS) };
}

function endOf(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1_000;
  } catch {
    return undefined;
  }
}
